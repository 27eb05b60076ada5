// SPDX-License-Identifier: Apache-2.0
// A software clock that interrupts whatever runs on one CPU some times a second. Works in virtual
// machines too, where hardware counters are seldom there.
#pragma once

namespace gpuwhy {

// The file descriptor of a perf event, or -1 with errno.
int OpenSamplingClock(int cpu, unsigned hz);

}  // namespace gpuwhy
