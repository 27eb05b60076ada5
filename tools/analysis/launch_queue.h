// SPDX-License-Identifier: Apache-2.0
// Whether launches kept ahead of the device: short gaps between operations, how often the next one
// had been launched before the last one began (F5), and how long kernels and launches take.
#pragma once

#include <cstdint>

#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

// A longer gap is a wait for something, not the pace of launching.
inline constexpr int64_t kLaunchGapNs = 1'000'000;

struct LaunchQueue {
  int64_t kernel_count = 0;
  int64_t joined_count = 0;  // operations whose launch is known
  int64_t short_gap_ns = 0;  // gaps below kLaunchGapNs, all devices
  int64_t short_gap_count = 0;
  int64_t empty_gap_ns = 0;  // of these, with no launch queued behind the running operation
  int64_t median_kernel_ns = 0;
  int64_t median_launch_ns = 0;   // duration of the launching call
  int64_t median_spacing_ns = 0;  // from launch to launch of one thread
  int64_t longest_gap_ns = 0;     // of the short ones
  int64_t longest_gap_op_id = 0;  // gpu_op row that ended it
};

Result<LaunchQueue> LaunchQueueOf(const TraceFacts& facts);

}  // namespace gpuwhy
