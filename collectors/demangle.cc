// SPDX-License-Identifier: Apache-2.0
#include "collectors/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace gpuwhy {
namespace {

constexpr size_t kMaxMangledBytes = 4096;
constexpr size_t kMaxNameBytes = 8192;  // PyTorch's longest are ~3,000
// PyTorch's longest reach 7,200,000 by this bound. At it, demangling takes ~50 ms.
constexpr int64_t kMaxBoundBytes = 1 << 23;
// Rough means, as only the growth by references matters: most letters belong to identifiers and
// stand for themselves, "x" is long long, "Ss" is std::basic_string<...>.
constexpr int64_t kBytesPerCode = 2;
constexpr int64_t kBytesPerStd = 16;

struct Reference {
  size_t index = 0;
  size_t length = 0;  // 0 = none here
};

// "S_" is 0, "S0_" is 1, "S1A_" is 47.
Reference ReadReference(std::string_view text) {
  size_t value = 0;
  for (size_t at = 1; at < text.size() && at < 6; ++at) {
    const char c = text[at];
    if (c == '_') return {at == 1 ? 0 : value + 1, at + 1};
    if (c >= '0' && c <= '9') {
      value = value * 36 + static_cast<size_t>(c - '0');
    } else if (c >= 'A' && c <= 'Z') {
      value = value * 36 + static_cast<size_t>(c - 'A') + 10;
    } else {
      return {};
    }
  }
  return {};
}

// A rough upper bound for the length of the demangled text. Components are numbered in the order in
// which they end, so number i ended, and has no more text than there was, before the first
// reference to any j >= i. Template parameters are bounded likewise within one scope; a 'Z' may
// open another.
class LengthBound {
 public:
  int64_t Of(std::string_view text) {
    for (size_t at = 0; at < text.size() && bound_bytes_ <= kMaxBoundBytes;) {
      at += Take(text.substr(at));
    }
    return bound_bytes_;
  }

 private:
  size_t Take(std::string_view rest) {
    const char code = rest.front();
    if (code == 'Z') parameters_.clear();
    if (code == 'S' || code == 'T') {
      const Reference reference = ReadReference(rest);
      if (reference.length > 0) {
        Refer(code == 'S' ? components_ : parameters_, reference.index);
        return reference.length;
      }
    }
    bound_bytes_ += code == 'S' ? kBytesPerStd : kBytesPerCode;
    return 1;
  }

  void Refer(std::vector<int64_t>& bounds, size_t index) {
    if (index >= kMaxMangledBytes) return;  // no such component: will not demangle
    if (index >= bounds.size()) bounds.resize(index + 1, bound_bytes_);
    bound_bytes_ += bounds[index];
  }

  int64_t bound_bytes_ = 0;
  std::vector<int64_t> components_;
  std::vector<int64_t> parameters_;
};

struct Free {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string Demangle(std::string_view symbol) {
  std::string raw(symbol);
  if (!symbol.starts_with("_Z") || symbol.size() > kMaxMangledBytes) return raw;
  if (LengthBound().Of(symbol.substr(2)) > kMaxBoundBytes) return raw;
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(raw.c_str(), nullptr, nullptr, &status));
  std::string name = status == 0 && text ? text.get() : raw;
  return name.size() > kMaxNameBytes ? raw : name;
}

}  // namespace gpuwhy
