// SPDX-License-Identifier: Apache-2.0
#include "collectors/demangle.h"

#include <csetjmp>

// The engine below abi::__cxa_demangle, exported by libstdc++ without a header. It hands out the
// text in pieces and allocates nothing, so it can be left in the middle.
// NOLINTNEXTLINE(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" int __gcclibcxx_demangle_callback(const char* mangled,
                                             void (*callback)(const char*, size_t, void*),
                                             void* opaque);

namespace gpuwhy {
namespace {

constexpr size_t kMaxMangledBytes = 4096;
constexpr size_t kMaxNameBytes = 8192;  // PyTorch's longest are ~3,000

struct Output {
  std::jmp_buf give_up;
  std::string text;
};

void Append(const char* piece, size_t size, void* opaque) {
  auto* output = static_cast<Output*>(opaque);
  // The only way to stop it. The frames that are left own nothing.
  if (output->text.size() + size > kMaxNameBytes) {
    std::longjmp(output->give_up, 1);  // NOLINT(cert-err52-cpp)
  }
  output->text.append(piece, size);
}

bool Run(const char* mangled, Output& output) {
  if (setjmp(output.give_up) != 0) return false;  // NOLINT(cert-err52-cpp)
  return __gcclibcxx_demangle_callback(mangled, &Append, &output) == 0;
}

}  // namespace

std::string Demangle(std::string_view symbol) {
  std::string raw(symbol);
  if (!symbol.starts_with("_Z") || symbol.size() > kMaxMangledBytes) return raw;
  Output output;
  return Run(raw.c_str(), output) ? std::move(output.text) : raw;
}

}  // namespace gpuwhy
