// SPDX-License-Identifier: Apache-2.0
// Fields of a line, apart by blanks and tabs, and the numbers in them. Pure functions.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "collectors/text/trim.h"
#include "schema/base/text.h"

namespace gpuwhy::perf {

inline constexpr std::string_view kBlanks = " \t";

inline std::string_view Trimmed(std::string_view text) {
  return Trim(text, kBlanks);
}

// Cuts the first field off the text.
inline std::string_view TakeFirstField(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view field = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(field.size());
  return field;
}

// Cuts the last field off the text.
inline std::string_view TakeLastField(std::string_view& text) {
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  const size_t blank = text.find_last_of(kBlanks);
  const size_t first = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view field = text.substr(first);
  text = text.substr(0, first);
  return field;
}

template <typename Number>
std::optional<Number> ParseWhole(std::string_view text, int base) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || stop != end || failure != std::errc()) return std::nullopt;
  return value;
}

inline std::optional<int64_t> ParseSigned(std::string_view text) {
  return ParseWhole<int64_t>(text, 10);
}

// Digits only, no sign.
inline std::optional<int64_t> ParseDecimal(std::string_view text) {
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  return ParseWhole<int64_t>(text, 10);
}

inline std::optional<uint64_t> ParseHex(std::string_view text) {
  return ParseWhole<uint64_t>(text, 16);
}

}  // namespace gpuwhy::perf
