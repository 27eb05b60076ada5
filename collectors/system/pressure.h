// SPDX-License-Identifier: Apache-2.0
// Pressure stall information, of the machine or of a cgroup:
//   some avg10=94.41 avg60=51.16 avg300=40.91 total=11801541725
//   full avg10=0.00 avg60=0.00 avg300=0.00 total=0
// Only the totals (microseconds) are taken: the averages follow from them. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuwhy {

struct PressureTotals {
  std::optional<int64_t> some_ns;  // at least one task waited
  std::optional<int64_t> full_ns;  // all tasks that were not idle waited
};

PressureTotals ParsePressure(std::string_view text);

}  // namespace gpuwhy
