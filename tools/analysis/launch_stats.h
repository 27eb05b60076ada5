// SPDX-License-Identifier: Apache-2.0
// Kernel launches beside the kernels they started (F4), and how much work was outstanding (F5).
// Pure: works on loaded rows.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/analysis/rows.h"
#include "tools/analysis/timelines.h"

namespace gpuwhy {

struct Distribution {
  int64_t count = 0;
  int64_t sum_ns = 0;
  int64_t min_ns = 0;
  int64_t median_ns = 0;  // mean of the two middle values of an even count, rounded down
  int64_t max_ns = 0;
};

Distribution DistributionOf(std::vector<int64_t> values_ns);

// A pair is a *LaunchKernel* call and one kernel of the same process and correlation.
struct LaunchStats {
  int64_t launch_count = 0;
  int64_t pair_count = 0;
  int64_t kernel_count = 0;
  int64_t unlaunched_count = 0;  // kernels without a launch record: begun before the recording
                                 // or by a graph
  int64_t short_count = 0;       // kernels shorter than the call that launched them
  int64_t start_before_return_count = 0;
  Distribution delay_start;  // kernel start - launch start; below 0 when clocks are coarse
  Distribution delay_end;    // max(0, kernel start - launch return)
  Distribution kernel;       // durations of paired kernels
  Distribution launch;       // durations of launching calls
};

LaunchStats MakeLaunchStats(const std::vector<DeviceOp>& ops, const LaunchIndex& launches);

// Launches that have not started yet, over all streams of the devices given.
struct QueueDepth {
  int64_t linked_count = 0;  // launches whose first operation is known
  int64_t max_count = 0;
  int64_t span_ns = 0;         // first launch to last start
  int64_t empty_ns = 0;        // depth 0
  int64_t at_most_one_ns = 0;  // depth 0 or 1
};

QueueDepth MakeQueueDepth(const std::vector<DeviceOp>& ops, const LaunchIndex& launches);

}  // namespace gpuwhy
