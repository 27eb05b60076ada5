// SPDX-License-Identifier: Apache-2.0
#include "tools/support/time_span.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace gpuwhy {
namespace {

struct TimeUnit {
  std::string_view suffix;
  double ns;
};

constexpr std::array<TimeUnit, 6> kUnits = {
    {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};
constexpr double kLongestNs = 4e18;

}  // namespace

std::optional<int64_t> ParseTimeSpan(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value)) return std::nullopt;
  for (const TimeUnit& unit : kUnits) {
    if (unit.suffix == end && std::abs(value) * unit.ns <= kLongestNs) {
      return std::llround(value * unit.ns);
    }
  }
  return std::nullopt;
}

}  // namespace gpuwhy
