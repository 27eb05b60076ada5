// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/decimal.h"

#include <algorithm>

#include "schema/base/text.h"

namespace gpuwhy::kineto {
namespace {

// A decimal number read from text: digits with `decimals` of them after the point.
struct Decimal {
  bool is_negative = false;
  uint64_t digits = 0;
  int exponent = 0;  // value = digits * 10^exponent
};

// The part of a number behind its digits: nothing, or an exponent.
std::optional<int> TakeExponent(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool is_negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || text.size() > 3 || !std::all_of(text.begin(), text.end(), IsDigit)) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text)
    value = value * 10 + (c - '0');
  return is_negative ? -value : value;
}

// Adds one digit; false when it no longer fits.
bool PushDigit(uint64_t& digits, char c) {
  return !__builtin_mul_overflow(digits, uint64_t{10}, &digits) &&
         !__builtin_add_overflow(digits, static_cast<uint64_t>(c - '0'), &digits);
}

// Reads digits, at most `max_decimals` after the point (the rest cannot matter).
std::optional<Decimal> Parse(std::string_view text, int max_decimals) {
  Decimal number;
  size_t at = 0;
  if (at < text.size() && text[at] == '-') {
    number.is_negative = true;
    ++at;
  }
  const size_t first = at;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    if (!PushDigit(number.digits, text[at])) return std::nullopt;
  }
  if (at == first) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && IsDigit(text[at]); ++at) {
      if (-number.exponent >= max_decimals) continue;
      if (!PushDigit(number.digits, text[at])) return std::nullopt;
      --number.exponent;
    }
  }
  const auto exponent = TakeExponent(text.substr(at));
  if (!exponent) return std::nullopt;
  number.exponent += *exponent;
  return number;
}

std::optional<int64_t> Scale(Decimal number, int exponent) {
  uint64_t value = number.digits;
  for (int i = number.exponent + exponent; i > 0 && value != 0; --i) {
    if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return std::nullopt;
  }
  for (int i = number.exponent + exponent; i < 0 && value != 0; ++i)
    value /= 10;
  if (value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  const auto magnitude = static_cast<int64_t>(value);
  return number.is_negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<int64_t> MicrosecondsToNs(std::string_view text) {
  // Exponents can move the point, so that more decimals matter; nobody writes them with 19 digits.
  const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  const auto number = Parse(text, has_exponent ? 18 : 3);
  return number ? Scale(*number, 3) : std::nullopt;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  const auto number = Parse(text, has_exponent ? 18 : 0);
  return number ? Scale(*number, 0) : std::nullopt;
}

}  // namespace gpuwhy::kineto
