// SPDX-License-Identifier: Apache-2.0
// Text that comes from traces is hostile: these functions make it printable, and print quantities
// the way profiler users expect. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuwhy {

inline constexpr size_t kDefaultTextLimit = 120;
inline constexpr size_t kPathLimit = 200;

// Of ASCII, whatever the locale.
constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsLowerHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f');
}

// Returns valid UTF-8 without control, direction-override, zero-width and tag characters or line
// separators (each replaced by one U+FFFD), cut to `limit` characters with a trailing "…".
std::string CleanText(std::string_view raw, size_t limit = kDefaultTextLimit);

// Like CleanText but keeps newlines and tabs and does not cut: the last net over a whole answer.
std::string StripControls(std::string_view text);

// Returns the text with every byte that is not UTF-8 replaced by U+FFFD, otherwise unchanged.
std::string ReplaceInvalidUtf8(std::string_view text);

// "25.8 ms", "73.2 us", "76.939 s": three to four significant digits, ASCII units.
std::string FormatDuration(int64_t duration_ns);
// "2.80 GB", "4.10 kB": decimal units, as bandwidths are quoted.
std::string FormatBytes(int64_t bytes);
// "1,623,496"
std::string FormatCount(int64_t count);
// 1711288124123456789 -> "2024-03-24 13:48:44.123456789" (UTC).
std::string FormatTimestamp(int64_t time_ns);
// Plain decimal with at most `digits` after the point and no trailing zeros.
std::string FormatNumber(double value, int digits);

}  // namespace gpuwhy
