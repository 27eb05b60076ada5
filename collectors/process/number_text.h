// SPDX-License-Identifier: Apache-2.0
// Numbers at the front of a text, as the files of /proc write them. Pure functions, any thread.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace gpuwhy {

// Takes a number off the front of `text`; nothing, and `text` unchanged, when there is none.
template <typename T>
std::optional<T> TakeNumber(std::string_view& text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// Takes exactly this character off the front.
inline bool TakeChar(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// The next line without its end, taken off the front. Use while `text` is not empty.
inline std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace gpuwhy
