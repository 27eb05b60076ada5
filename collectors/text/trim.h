// SPDX-License-Identifier: Apache-2.0
// Small changes of ASCII text that readers of text files share. Pure functions, any thread.
#pragma once

#include <algorithm>
#include <string_view>

namespace gpuwhy {

// Without the characters of `around` at both ends.
inline std::string_view Trim(std::string_view text, std::string_view around = " \t\r") {
  const size_t first = text.find_first_not_of(around);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(around) - first + 1);
}

constexpr char ToLowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ToLowerAscii(x) == ToLowerAscii(y); });
}

}  // namespace gpuwhy
