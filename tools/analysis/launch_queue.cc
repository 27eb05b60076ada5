// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/launch_queue.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace gpuwhy {
namespace {

int64_t Median(std::vector<int64_t>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void AddLaunches(const std::vector<HostCall>& calls, LaunchQueue& queue) {
  std::vector<int64_t> durations_ns;
  std::vector<int64_t> spacings_ns;
  std::unordered_map<int32_t, int64_t> last_ns;
  for (const HostCall& call : calls) {
    if (call.is_child || !call.is_kernel_launch) continue;
    durations_ns.push_back(call.end_ns - call.start_ns);
    const auto [last, is_first] = last_ns.try_emplace(call.thread_id, call.start_ns);
    if (!is_first) spacings_ns.push_back(call.start_ns - last->second);
    last->second = call.start_ns;
  }
  queue.median_launch_ns = Median(durations_ns);
  queue.median_spacing_ns = Median(spacings_ns);
}

void AddKernels(const std::vector<DeviceOp>& ops, LaunchQueue& queue) {
  std::vector<int64_t> durations_ns;
  for (const DeviceOp& op : ops) {
    if (op.kind == OpKind::kKernel) durations_ns.push_back(op.end_ns - op.start_ns);
  }
  queue.kernel_count = static_cast<int64_t>(durations_ns.size());
  queue.median_kernel_ns = Median(durations_ns);
}

// The queue was empty if the launch of the next operation came after the last one had started.
void AddGaps(const TraceFacts& facts, const BusyTimeline& timeline, LaunchQueue& queue) {
  const std::vector<HostCall>& calls = *facts.HostCalls().value();
  const std::vector<DeviceOp>& ops = *facts.DeviceOps().value();
  for (const Gap& gap : timeline.gaps) {
    if (gap.is_start_up || gap.is_last || gap.duration_ns() >= kLaunchGapNs) continue;
    queue.short_gap_ns += gap.duration_ns();
    ++queue.short_gap_count;
    if (gap.duration_ns() > queue.longest_gap_ns && gap.next_row >= 0) {
      queue.longest_gap_ns = gap.duration_ns();
      queue.longest_gap_op_id = ops[static_cast<size_t>(gap.next_row)].id;
    }
    if (gap.launch_row < 0 || gap.next_row <= 0) continue;
    ++queue.joined_count;
    const DeviceOp& last = ops[static_cast<size_t>(gap.next_row) - 1];
    const HostCall& launch = calls[static_cast<size_t>(gap.launch_row)];
    if (launch.start_ns >= last.start_ns) queue.empty_gap_ns += gap.duration_ns();
  }
}

}  // namespace

Result<LaunchQueue> LaunchQueueOf(const TraceFacts& facts) {
  LaunchQueue queue;
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<DeviceOp>* ops, facts.DeviceOps());
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<BusyTimeline>* timelines, facts.Timelines());
  AddLaunches(*calls, queue);
  AddKernels(*ops, queue);
  for (const BusyTimeline& timeline : *timelines)
    AddGaps(facts, timeline, queue);
  return queue;
}

}  // namespace gpuwhy
