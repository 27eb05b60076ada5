// SPDX-License-Identifier: Apache-2.0
// "4.93 3.58 4.85 7/116 27717": /proc/loadavg. Pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuwhy {

struct LoadAverage {
  double minute = 0;           // runnable and uninterruptible threads, averaged over a minute
  int64_t runnable_count = 0;  // threads on a core or waiting for one, now
};

std::optional<LoadAverage> ParseLoadAverage(std::string_view text);

}  // namespace gpuwhy
