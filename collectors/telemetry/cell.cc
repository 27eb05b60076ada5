// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/cell.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "collectors/process/number_text.h"
#include "collectors/text/trim.h"
#include "schema/base/text.h"

namespace gpuwhy::telemetry {
namespace {

// With and without brackets around; "-" is dmon's.
constexpr std::string_view kMissingWords[] = {
    "",
    "-",
    "--",
    "N/A",
    "NA",
    "NaN",
    "-nan",
    "null",
    "Unknown",
    "Unknown Error",
    "Not Supported",
    "ERR!",
};

struct StateWord {
  std::string_view word;
  double number;
};

constexpr StateWord kStateWords[] = {
    {"Active", 1}, {"Not Active", 0}, {"THROTTLED", 1}, {"UNTHROTTLED", 0}};

bool IsMissing(std::string_view text) {
  return std::any_of(std::begin(kMissingWords), std::end(kMissingWords),
                     [&](std::string_view word) { return EqualsIgnoringCase(word, text); });
}

Cell ReadBits(std::string_view text) {
  if (!text.starts_with("0x")) return {};
  text.remove_prefix(2);
  const auto bits = TakeNumber<uint64_t>(text, 16);
  if (!bits || !text.empty()) return {};
  return {CellKind::kNumber, static_cast<double>(*bits), {}};
}

Cell ReadNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return {CellKind::kNumber, number, Trim(text)};
}

}  // namespace

Cell ReadCell(std::string_view text, NumberStyle style) {
  text = Trim(text, " \t\r'\"");
  if (IsMissing(text)) return {CellKind::kMissing, 0, {}};
  // Every "[...]" that is no list is a reason why there is no value.
  if (text.starts_with('[') && text.ends_with(']') && !IsList(text)) {
    return {CellKind::kMissing, 0, {}};
  }
  for (const StateWord& state : kStateWords) {
    if (text == state.word) return {CellKind::kNumber, state.number, {}};
  }
  if (style == NumberStyle::kBits) return ReadBits(text);
  if (style == NumberStyle::kPerformanceState) TakeChar(text, 'P');
  return ReadNumber(text);
}

bool IsList(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
  const std::string_view inside = Trim(text.substr(1, text.size() - 2));
  return inside.find(',') != std::string_view::npos || ReadNumber(inside).kind == CellKind::kNumber;
}

std::string_view TakeElement(std::string_view& inside) {
  const size_t comma = inside.find(',');
  const std::string_view element = Trim(inside.substr(0, comma));
  inside.remove_prefix(comma == std::string_view::npos ? inside.size() : comma + 1);
  return element;
}

}  // namespace gpuwhy::telemetry
