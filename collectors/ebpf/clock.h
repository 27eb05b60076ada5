// SPDX-License-Identifier: Apache-2.0
// From CLOCK_MONOTONIC, which the kernel side stamps with, to Unix time. Measured once: both clocks
// run at the same rate, so a difference of a later moment could only come from somebody setting the
// time of day, which must not move events.
#pragma once

#include <cstdint>

namespace gpuwhy {

struct ClockOffset {
  int64_t offset_ns = 0;  // Unix time minus CLOCK_MONOTONIC
  int64_t error_ns = 0;   // at most this much off
};

ClockOffset MeasureClockOffset();
int64_t MonotonicNs();

}  // namespace gpuwhy
