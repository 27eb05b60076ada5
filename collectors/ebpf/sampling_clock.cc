// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/sampling_clock.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuwhy {

int OpenSamplingClock(int cpu, unsigned hz) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.freq = 1;
  attributes.sample_freq = hz;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace gpuwhy
