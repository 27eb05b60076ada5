// SPDX-License-Identifier: Apache-2.0
// Busy time and gaps of devices and of the CUDA API (F1, F2), and the launch that ends each gap.
// Pure: works on loaded rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/analysis/intervals.h"
#include "tools/analysis/ledger.h"
#include "tools/analysis/rows.h"

namespace gpuwhy {

// Busy and idle time of one device, or of the CUDA API of everything in scope (gpu_id 0).
struct BusyTimeline {
  int64_t gpu_id = 0;
  int64_t capture_id = 0;
  // Device view of a whole trace: first operation start to last operation end. API view and given
  // windows: the window.
  Interval span;
  std::vector<Gap> gaps;  // every one, however short; ascending
  int64_t busy_ns = 0;
  int64_t idle_ns = 0;  // busy_ns + idle_ns = span
};

// A row of queued_work.
struct QueuedWork {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t first_call_id = 0;
};

// Finds the host call that launched a device operation: same process, same correlation. A launch
// is preferred where several calls carry one correlation.
class LaunchIndex {
 public:
  explicit LaunchIndex(const std::vector<HostCall>& calls);
  // Position in the calls; -1 when there is none.
  int32_t Find(const DeviceOp& op) const;
  // Calls on_call(position) for every call with the operation's correlation and process.
  template <typename OnCall>
  void ForEach(const DeviceOp& op, const OnCall& on_call) const {
    if (op.correlation_id == kNoCorrelation) return;
    for (int32_t at = heads_[BucketOf(op.correlation_id)]; at >= 0;
         at = next_[static_cast<size_t>(at)]) {
      const HostCall& call = calls_[static_cast<size_t>(at)];
      const bool is_same = op.process_id == 0 || call.process_id == op.process_id;
      if (is_same && call.correlation_id == op.correlation_id) on_call(at);
    }
  }
  const std::vector<HostCall>& calls() const { return calls_; }

 private:
  size_t BucketOf(int64_t correlation_id) const;

  const std::vector<HostCall>& calls_;
  std::vector<int32_t> heads_;
  std::vector<int32_t> next_;
};

// One timeline per device that has operations, ordered by device. `window` unset: each device's
// span is its own first start to last end. A window without any operation yields one idle timeline.
std::vector<BusyTimeline> DeviceTimelines(const std::vector<DeviceOp>& ops,
                                          std::optional<Interval> window);
// `is_whole_trace`: time before the first call is start-up.
BusyTimeline ApiTimeline(const std::vector<HostCall>& calls, Interval window, bool is_whole_trace);
// `work` ascending by start.
BusyTimeline QueueTimeline(const std::vector<QueuedWork>& work, Interval span,
                           const std::vector<HostCall>& calls);
// Fills launch_row, launch_end_ns and thread_id of the gaps of a device timeline.
void LinkLaunches(const std::vector<DeviceOp>& ops, const LaunchIndex& launches,
                  BusyTimeline& timeline);

// Nothing follows the last gap: it was the turn of the thread that feeds most.
void AssignLastGap(BusyTimeline& timeline);

}  // namespace gpuwhy
