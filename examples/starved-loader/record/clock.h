// SPDX-License-Identifier: Apache-2.0
// The clock of the recording: CLOCK_MONOTONIC, the same in all processes of the machine. It becomes
// Unix time once, when rows are written, by an offset measured at the start.
#pragma once

#include <cstdint>
#include <ctime>

namespace gpuwhy::starved_loader {

inline int64_t ReadClockNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

inline int64_t NowNs() {
  return ReadClockNs(CLOCK_MONOTONIC);
}

struct ClockOffset {
  int64_t offset_ns = 0;  // add to NowNs() to get Unix time
  int64_t error_ns = 0;   // at most
};

// The tightest of a few brackets of a real-time reading between two monotonic ones.
inline ClockOffset MeasureClockOffset() {
  ClockOffset best{.error_ns = INT64_MAX};
  for (int i = 0; i < 16; ++i) {
    const int64_t before_ns = NowNs();
    const int64_t unix_ns = ReadClockNs(CLOCK_REALTIME);
    const int64_t after_ns = NowNs();
    const int64_t error_ns = (after_ns - before_ns) / 2 + 1;
    if (error_ns < best.error_ns) {
      best = {.offset_ns = unix_ns - (before_ns + after_ns) / 2, .error_ns = error_ns};
    }
  }
  return best;
}

}  // namespace gpuwhy::starved_loader
