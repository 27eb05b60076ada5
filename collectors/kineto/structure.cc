// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/structure.h"

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gpuwhy::kineto {
namespace {

constexpr size_t kBlockBytes = 64;

// One bit per byte of a block.
struct BlockBits {
  uint64_t quote = 0;
  uint64_t backslash = 0;
  uint64_t open = 0;   // { [
  uint64_t close = 0;  // } ]
};

#ifdef __SSE2__
BlockBits Classify(const char* block) {
  BlockBits bits;
  const auto equal = [](__m128i bytes, char c) {
    return static_cast<uint64_t>(
        static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)))));
  };
  for (unsigned i = 0; i < kBlockBytes; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    // '[' | 0x20 is '{', and ']' | 0x20 is '}'.
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    bits.quote |= equal(bytes, '"') << i;
    bits.backslash |= equal(bytes, '\\') << i;
    bits.open |= equal(folded, '{') << i;
    bits.close |= equal(folded, '}') << i;
  }
  return bits;
}
#else
BlockBits Classify(const char* block) {
  BlockBits bits;
  for (unsigned i = 0; i < kBlockBytes; ++i) {
    const char c = block[i];
    bits.quote |= static_cast<uint64_t>(c == '"') << i;
    bits.backslash |= static_cast<uint64_t>(c == '\\') << i;
    bits.open |= static_cast<uint64_t>(c == '{' || c == '[') << i;
    bits.close |= static_cast<uint64_t>(c == '}' || c == ']') << i;
  }
  return bits;
}
#endif

// Characters that a backslash escapes. Of a run of backslashes every second one escapes: a carry
// through an addition tells where the run ends (the method of Langdale and Lemire, "Parsing
// gigabytes of JSON per second", 2019).
uint64_t EscapedBits(uint64_t backslash, uint64_t& is_first_escaped) {
  if (backslash == 0) {
    const uint64_t escaped = is_first_escaped;
    is_first_escaped = 0;
    return escaped;
  }
  constexpr uint64_t kEvenBits = 0x5555555555555555U;
  backslash &= ~is_first_escaped;
  const uint64_t follows = backslash << 1U | is_first_escaped;
  const uint64_t odd_starts = backslash & ~kEvenBits & ~follows;
  uint64_t on_even = 0;
  is_first_escaped = __builtin_add_overflow(odd_starts, backslash, &on_even) ? 1 : 0;
  return (kEvenBits ^ (on_even << 1U)) & follows;
}

// Bit i is the parity of the bits up to and including i.
uint64_t PrefixParity(uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2)
    bits ^= bits << shift;
  return bits;
}

// A cursor over the top level of a file's beginning.
class HeadScanner {
 public:
  explicit HeadScanner(std::string_view text) : text_(text) {}

  ArrayPosition Find() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    SkipSpace();
    if (at_ == text_.size()) return {};
    if (text_[at_] == '[') return {ArraySearch::kFound, at_ + 1};
    if (text_[at_] != '{') return {ArraySearch::kAbsent, 0};
    while (at_ < text_.size()) {
      if (text_[at_] == '"') {
        const std::string_view word = TakeString();
        if (depth_ == 1 && word == "traceEvents" && TakeColon()) return AtValue();
      } else {
        TakeBracket();
        if (depth_ == 0) return {ArraySearch::kAbsent, 0};
      }
    }
    return {};
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_]))
      ++at_;
  }
  void TakeBracket() {
    const char c = text_[at_++];
    if (c == '{' || c == '[') ++depth_;
    if (c == '}' || c == ']') --depth_;
  }
  std::string_view TakeString() {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = text_.size();
      return {};
    }
    return text_.substr(begin, at_++ - begin);
  }
  bool TakeColon() {
    SkipSpace();
    if (at_ < text_.size() && text_[at_] != ':') return false;
    at_ = at_ < text_.size() ? at_ + 1 : at_;
    SkipSpace();
    return true;
  }
  ArrayPosition AtValue() const {
    if (at_ >= text_.size()) return {};
    if (text_[at_] != '[') return {ArraySearch::kAbsent, 0};
    return {ArraySearch::kFound, at_ + 1};
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const char* FindValueEnd(const char* begin, const char* end) {
  int64_t depth = 0;
  uint64_t is_in_string = 0;  // all ones inside a string
  uint64_t is_first_escaped = 0;
  for (const char* block = begin; block < end; block += kBlockBytes) {
    const BlockBits bits = Classify(block);
    const uint64_t quote = bits.quote & ~EscapedBits(bits.backslash, is_first_escaped);
    const uint64_t inside = PrefixParity(quote) ^ is_in_string;
    is_in_string = (inside >> 63U) != 0 ? ~uint64_t{0} : 0;
    uint64_t brackets = (bits.open | bits.close) & ~inside;
    for (; brackets != 0; brackets &= brackets - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(brackets));
      depth += ((bits.open >> bit) & 1U) != 0 ? 1 : -1;
      if (depth > 0) continue;
      const char* after = block + bit + 1;
      return after <= end ? after : nullptr;
    }
  }
  return nullptr;
}

ArrayPosition FindEventArray(std::string_view text) {
  return HeadScanner(text).Find();
}

}  // namespace gpuwhy::kineto
