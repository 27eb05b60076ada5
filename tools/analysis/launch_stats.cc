// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/launch_stats.h"

#include <algorithm>
#include <numeric>

namespace gpuwhy {
namespace {

struct Samples {
  std::vector<int64_t> delay_start, delay_end, kernel, launch;
};

void AddPair(const DeviceOp& op, const HostCall& call, Samples& samples, LaunchStats& stats) {
  if (!call.is_kernel_launch) return;
  ++stats.pair_count;
  samples.delay_start.push_back(op.start_ns - call.start_ns);
  samples.delay_end.push_back(std::max(int64_t{0}, op.start_ns - call.end_ns));
  samples.kernel.push_back(op.end_ns - op.start_ns);
  if (op.end_ns - op.start_ns < call.end_ns - call.start_ns) ++stats.short_count;
  if (op.start_ns < call.end_ns) ++stats.start_before_return_count;
}

void AddDepth(int64_t count, int64_t length_ns, QueueDepth& depth) {
  depth.max_count = std::max(depth.max_count, count);
  depth.span_ns += length_ns;
  if (count == 0) depth.empty_ns += length_ns;
  if (count <= 1) depth.at_most_one_ns += length_ns;
}

}  // namespace

Distribution DistributionOf(std::vector<int64_t> values_ns) {
  Distribution out;
  if (values_ns.empty()) return out;
  out.count = static_cast<int64_t>(values_ns.size());
  out.sum_ns = std::accumulate(values_ns.begin(), values_ns.end(), int64_t{0});
  const auto [min, max] = std::minmax_element(values_ns.begin(), values_ns.end());
  out.min_ns = *min;
  out.max_ns = *max;
  const auto middle = values_ns.begin() + out.count / 2;
  std::nth_element(values_ns.begin(), middle, values_ns.end());
  out.median_ns = *middle;
  if (out.count % 2 == 0) {
    const int64_t below_ns = *std::max_element(values_ns.begin(), middle);
    out.median_ns = below_ns + (*middle - below_ns) / 2;
  }
  return out;
}

LaunchStats MakeLaunchStats(const std::vector<DeviceOp>& ops, const LaunchIndex& launches) {
  LaunchStats stats;
  Samples samples;
  for (const HostCall& call : launches.calls()) {
    if (!call.is_kernel_launch) continue;
    ++stats.launch_count;
    samples.launch.push_back(call.end_ns - call.start_ns);
  }
  for (const DeviceOp& op : ops) {
    if (op.kind != OpKind::kKernel) continue;
    ++stats.kernel_count;
    const int64_t pairs_before = stats.pair_count;
    if (op.correlation_id > 0) {
      launches.ForEach(op, [&](int32_t row) {
        AddPair(op, launches.calls()[static_cast<size_t>(row)], samples, stats);
      });
    }
    if (stats.pair_count == pairs_before) ++stats.unlaunched_count;
  }
  stats.delay_start = DistributionOf(std::move(samples.delay_start));
  stats.delay_end = DistributionOf(std::move(samples.delay_end));
  stats.kernel = DistributionOf(std::move(samples.kernel));
  stats.launch = DistributionOf(std::move(samples.launch));
  return stats;
}

QueueDepth MakeQueueDepth(const std::vector<DeviceOp>& ops, const LaunchIndex& launches) {
  QueueDepth depth;
  // First operation of each launch; operations come ordered by start.
  std::vector<bool> is_counted(launches.calls().size(), false);
  std::vector<int64_t> launched_ns;
  std::vector<int64_t> started_ns;
  for (const DeviceOp& op : ops) {
    const int32_t row = launches.Find(op);
    if (row < 0 || is_counted[static_cast<size_t>(row)]) continue;
    is_counted[static_cast<size_t>(row)] = true;
    const int64_t launch_ns = launches.calls()[static_cast<size_t>(row)].start_ns;
    launched_ns.push_back(launch_ns);
    started_ns.push_back(std::max(launch_ns, op.start_ns));
  }
  depth.linked_count = static_cast<int64_t>(launched_ns.size());
  std::sort(launched_ns.begin(), launched_ns.end());
  std::sort(started_ns.begin(), started_ns.end());
  // No launch starts before it was made, so started_ns is the last to run out.
  size_t launched = 0;
  size_t started = 0;
  int64_t at_ns = 0;
  while (started < started_ns.size()) {
    const int64_t count = static_cast<int64_t>(launched) - static_cast<int64_t>(started);
    const bool is_launch =
        launched < launched_ns.size() && launched_ns[launched] <= started_ns[started];
    const int64_t next_ns = is_launch ? launched_ns[launched++] : started_ns[started++];
    if (launched + started > 1) AddDepth(count, next_ns - at_ns, depth);
    at_ns = next_ns;
  }
  return depth;
}

}  // namespace gpuwhy
