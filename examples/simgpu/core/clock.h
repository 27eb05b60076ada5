// SPDX-License-Identifier: Apache-2.0
// The clocks of the simulation. The device lives on CLOCK_MONOTONIC, which all processes share.
// Host work is burnt on the CPU clock of the thread: on wall time, contention would disappear.
#pragma once

#include <cstdint>
#include <ctime>

namespace gpuwhy::simgpu {

inline int64_t ReadClockNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

inline int64_t NowNs() {
  return ReadClockNs(CLOCK_MONOTONIC);
}

inline int64_t ThreadCpuNs() {
  return ReadClockNs(CLOCK_THREAD_CPUTIME_ID);
}

// Runs until the thread's CPU clock shows `until_cpu_ns`.
inline void BurnUntilCpuNs(int64_t until_cpu_ns) {
  while (ThreadCpuNs() < until_cpu_ns) {
    for (int spin = 0; spin < 100; ++spin)
      __asm__ volatile("");
  }
}

inline void BurnCpuNs(int64_t cpu_ns) {
  if (cpu_ns > 0) BurnUntilCpuNs(ThreadCpuNs() + cpu_ns);
}

// A real blocking wait, which the kernel sees.
inline void SleepUntilNs(int64_t monotonic_ns) {
  const timespec time{.tv_sec = monotonic_ns / 1'000'000'000,
                      .tv_nsec = monotonic_ns % 1'000'000'000};
  while (NowNs() < monotonic_ns)
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

// How long `bytes` take, never less than nothing.
inline int64_t TransferNs(size_t bytes, int64_t bytes_per_s) {
  return static_cast<int64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(bytes_per_s));
}

}  // namespace gpuwhy::simgpu
