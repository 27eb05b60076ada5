// SPDX-License-Identifier: Apache-2.0
// Sums of numbers that come from files and may be absurd. Pure functions, any thread.
#pragma once

#include <cstdint>

namespace gpuwhy {

// The sum, or the end of the range that it would pass.
constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace gpuwhy
