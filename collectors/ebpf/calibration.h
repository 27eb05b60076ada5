// SPDX-License-Identifier: Apache-2.0
// What probing costs on this machine, measured on ourselves before recording: a function of our own
// is called with and without the programs that will probe the GPU libraries, and the kernel tells
// how long its programs ran at switches and samples. Takes about a tenth of a second.
#pragma once

#include <optional>

#include "collectors/ebpf/kernel_probes.h"

namespace gpuwhy {

struct ProbeCosts {
  double call_ns = 0;          // one probed call: two traps, two programs, one row
  double call_program_ns = 0;  // of it, inside the programs; 0: the kernel does not tell
  double switch_ns = 0;        // one time off the core: out, wake-up, in; 0: not known
  double sample_ns = 0;        // one stack sample; 0: not known
};

// For before the recording: what is in the ring and in the roll-ups is thrown away.
Result<ProbeCosts> MeasureProbeCosts(KernelProbes& probes);

}  // namespace gpuwhy
