// SPDX-License-Identifier: Apache-2.0
#include "tools/support/format_value.h"

#include <fmt/format.h>

#include <cmath>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

double AsDouble(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

// Only for units that are whole numbers; a double is rounded.
int64_t AsInt(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  const double real = AsDouble(value);
  constexpr double kLargest = 9.2e18;
  return std::isfinite(real) && std::abs(real) < kLargest ? std::llround(real) : 0;
}

std::string FormatRaw(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.12g}", *real);
  return std::holds_alternative<std::monostate>(value) ? "NULL" : fmt::format("{}", AsInt(value));
}

std::string FormatInstant(int64_t offset_ns) {
  return fmt::format("{}{:.3f} s", offset_ns < 0 ? "-" : "+",
                     static_cast<double>(std::abs(offset_ns)) / 1e9);
}

}  // namespace

std::string FormatValue(const Value& value, Unit unit, int64_t origin_ns) {
  if (const auto* text = std::get_if<std::string>(&value)) return CleanText(*text);
  if (unit == Unit::kRaw) return FormatRaw(value);
  if (std::holds_alternative<std::monostate>(value)) return "-";
  switch (unit) {
    case Unit::kRaw:
    case Unit::kText:
    case Unit::kIdentifier:
      return fmt::format("{}", AsInt(value));
    case Unit::kCount:
      return FormatCount(AsInt(value));
    case Unit::kNs:
      return FormatDuration(AsInt(value));
    case Unit::kTimeNs:
      return FormatInstant(AsInt(value) - origin_ns);
    case Unit::kBytes:
      return FormatBytes(AsInt(value));
    case Unit::kPct:
      return FormatNumber(AsDouble(value), 1) + " %";
    case Unit::kRatio:
      return FormatNumber(AsDouble(value), 4);
    case Unit::kNumber:
      return FormatNumber(AsDouble(value), 3);
    case Unit::kBytesPerSecond:
      return FormatBytes(AsInt(value)) + "/s";
  }
  return "";
}

Json JsonValue(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return CleanText(*text, 2000);
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) {
    return std::isfinite(*real) ? Json(*real) : Json();
  }
  return {};
}

}  // namespace gpuwhy
