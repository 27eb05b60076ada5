// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/named_numbers.h"

#include "collectors/process/number_text.h"

namespace gpuwhy {
namespace {

constexpr int64_t kKibibyte = 1024;

void SkipBlanks(std::string_view& text) {
  while (TakeChar(text, ' ') || TakeChar(text, '\t')) {
  }
}

std::optional<int64_t> TakeValue(std::string_view& line) {
  SkipBlanks(line);
  const auto number = TakeNumber<int64_t>(line);
  SkipBlanks(line);
  if (!number || line.empty()) return number;
  if (line != "kB" || *number > INT64_MAX / kKibibyte) return std::nullopt;
  return *number * kKibibyte;
}

}  // namespace

NamedNumbers NamedNumbers::Parse(std::string_view text) {
  NamedNumbers parsed;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const size_t end = line.find_first_of(": \t");
    if (end == 0 || end == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, end);
    line.remove_prefix(end);
    TakeChar(line, ':');
    if (const auto value = TakeValue(line)) parsed.numbers_.emplace(name, *value);
  }
  return parsed;
}

std::optional<int64_t> NamedNumbers::Find(std::string_view name) const {
  const auto it = numbers_.find(name);
  return it == numbers_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<int64_t> ParseWholeNumber(std::string_view text) {
  std::string_view line = TakeLine(text);
  const auto number = TakeNumber<int64_t>(line);
  return line.empty() ? number : std::nullopt;
}

}  // namespace gpuwhy
