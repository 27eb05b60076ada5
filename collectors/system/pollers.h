// SPDX-License-Identifier: Apache-2.0
// The sources, one file each. All of them together: SystemPollers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "collectors/system/system_poller.h"

namespace gpuwhy {

// Nanoseconds in softirqs and in interrupts since the start, one pair a core.
using ReadInterruptTimes = std::function<std::vector<std::pair<uint64_t, uint64_t>>()>;

// system.cpu_pct and the shares system.cpu_user_pct ... system.cpu_steal_pct of all cores, and
// system.core[N].*_pct of each.
std::unique_ptr<SystemPoller> MakeCpuPoller();
// system.load_avg (of a minute), system.runnable_count.
std::unique_ptr<SystemPoller> MakeLoadPoller();
// system.mem_*, system.swap_*, system.major_fault_count.
std::unique_ptr<SystemPoller> MakeMemoryPoller();
// system.psi_{cpu,memory,io}_{some,full}_pct: share of the time in which a task waited for it.
std::unique_ptr<SystemPoller> MakePressurePoller();
// system.cgroup[PATH].*: quota, throttling, memory; rows of kind throttle with their roll-ups.
std::unique_ptr<SystemPoller> MakeCgroupPoller();
// system.core[N].softirq_ns and irq_ns, exact.
std::unique_ptr<SystemPoller> MakeInterruptPoller(ReadInterruptTimes read);

}  // namespace gpuwhy
