// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/clock.h"

#include <ctime>

namespace gpuwhy {
namespace {

constexpr int kTries = 20;

int64_t Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

int64_t MonotonicNs() {
  return Now(CLOCK_MONOTONIC);
}

// The tightest of some readings of one clock between two of the other.
ClockOffset MeasureClockOffset() {
  ClockOffset best{.offset_ns = 0, .error_ns = INT64_MAX};
  for (int i = 0; i < kTries; ++i) {
    const int64_t before_ns = MonotonicNs();
    const int64_t unix_ns = Now(CLOCK_REALTIME);
    const int64_t error_ns = (MonotonicNs() - before_ns + 1) / 2;
    if (error_ns < best.error_ns) best = {unix_ns - before_ns - error_ns, error_ns};
  }
  return best;
}

}  // namespace gpuwhy
