// SPDX-License-Identifier: Apache-2.0
// Holds the driver lock most of the time, as a tool that lists processes on a GPU every few
// milliseconds does: hold_driver_lock HOLD_MS PERIOD_MS SECONDS, with SIMGPU_DRIVER_LOCK set.
#include <charconv>
#include <cstdio>
#include <cstring>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/driver_lock.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

// 0 for what is no positive number.
int64_t Number(const char* text) {
  int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end && number > 0 ? number : 0;
}

// Asleep with the lock: what such a tool asks for, the device's firmware has to answer.
void Hold(int64_t hold_ns) {
  const DriverLock lock;
  SleepUntilNs(NowNs() + hold_ns);
}

int Run(int64_t hold_ms, int64_t period_ms, int64_t seconds) {
  const int64_t start_ns = NowNs();
  const int64_t end_ns = start_ns + seconds * 1'000 * kNsPerMs;
  for (int64_t next_ns = start_ns; next_ns < end_ns; next_ns += period_ms * kNsPerMs) {
    SleepUntilNs(next_ns);
    Hold(hold_ms * kNsPerMs);
  }
  return 0;
}

}  // namespace
}  // namespace gpuwhy::simgpu

int main(int argc, char** argv) {
  using gpuwhy::simgpu::Number;
  const bool is_named = !gpuwhy::simgpu::GetSettings().driver_lock.empty();
  if (argc == 4 && is_named && Number(argv[1]) * Number(argv[2]) * Number(argv[3]) > 0)
    return gpuwhy::simgpu::Run(Number(argv[1]), Number(argv[2]), Number(argv[3]));
  std::fprintf(stderr,
               "usage: SIMGPU_DRIVER_LOCK=NAME hold_driver_lock HOLD_MS PERIOD_MS SECONDS\n");
  return 2;
}
