// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/launch_stats.h"

#include <algorithm>

namespace gpuwhy {
namespace {

// Kernels by process and correlation; a graph launch has many.
class KernelsByCorrelation {
 public:
  explicit KernelsByCorrelation(const std::vector<DeviceOp>& ops) : ops_(ops) {
    for (size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::kKernel || ops[i].correlation_id <= 0) continue;
      order_.push_back(static_cast<int32_t>(i));
    }
    std::stable_sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
      return At(a).correlation_id < At(b).correlation_id;
    });
  }

  template <typename OnKernel>
  void ForEach(const HostCall& launch, const OnKernel& on_kernel) const {
    auto it = std::lower_bound(order_.begin(), order_.end(), launch.correlation_id,
                               [&](int32_t a, int64_t id) { return At(a).correlation_id < id; });
    for (; it != order_.end() && At(*it).correlation_id == launch.correlation_id; ++it) {
      const DeviceOp& op = At(*it);
      if (op.process_id == 0 || op.process_id == launch.process_id) on_kernel(*it, op);
    }
  }

 private:
  const DeviceOp& At(int32_t index) const { return ops_[static_cast<size_t>(index)]; }

  const std::vector<DeviceOp>& ops_;
  std::vector<int32_t> order_;
};

struct Samples {
  std::vector<int64_t> delay_start, delay_end, kernel, launch;
};

}  // namespace

Distribution DistributionOf(std::vector<int64_t> values_ns) {
  Distribution out;
  if (values_ns.empty()) return out;
  std::sort(values_ns.begin(), values_ns.end());
  out.count = static_cast<int64_t>(values_ns.size());
  for (const int64_t value_ns : values_ns)
    out.sum_ns += value_ns;
  out.min_ns = values_ns.front();
  out.max_ns = values_ns.back();
  const size_t middle = values_ns.size() / 2;
  out.median_ns = values_ns.size() % 2 == 1
                      ? values_ns[middle]
                      : values_ns[middle - 1] + (values_ns[middle] - values_ns[middle - 1]) / 2;
  return out;
}

LaunchStats MakeLaunchStats(const std::vector<DeviceOp>& ops, const std::vector<HostCall>& calls) {
  LaunchStats stats;
  Samples samples;
  const KernelsByCorrelation kernels(ops);
  std::vector<bool> has_launch(ops.size(), false);
  for (const HostCall& call : calls) {
    if (!call.is_kernel_launch) continue;
    ++stats.launch_count;
    samples.launch.push_back(call.end_ns - call.start_ns);
    if (call.correlation_id <= 0) continue;
    kernels.ForEach(call, [&](int32_t index, const DeviceOp& op) {
      has_launch[static_cast<size_t>(index)] = true;
      ++stats.pair_count;
      samples.delay_start.push_back(op.start_ns - call.start_ns);
      samples.delay_end.push_back(std::max(int64_t{0}, op.start_ns - call.end_ns));
      samples.kernel.push_back(op.end_ns - op.start_ns);
      if (op.end_ns - op.start_ns < call.end_ns - call.start_ns) ++stats.short_count;
      if (op.start_ns < call.end_ns) ++stats.start_before_return_count;
    });
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != OpKind::kKernel) continue;
    ++stats.kernel_count;
    if (!has_launch[i]) ++stats.unlaunched_count;
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
  std::vector<std::pair<int64_t, int>> changes;
  for (const DeviceOp& op : ops) {
    const int32_t row = launches.Find(op);
    if (row < 0 || is_counted[static_cast<size_t>(row)]) continue;
    is_counted[static_cast<size_t>(row)] = true;
    ++depth.linked_count;
    const int64_t launch_ns = launches.calls()[static_cast<size_t>(row)].start_ns;
    changes.emplace_back(launch_ns, 1);
    changes.emplace_back(std::max(launch_ns, op.start_ns), -1);
  }
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  int64_t now = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    now += changes[i].second;
    depth.max_count = std::max(depth.max_count, now);
    if (i + 1 == changes.size()) break;
    const int64_t length_ns = changes[i + 1].first - changes[i].first;
    depth.span_ns += length_ns;
    if (now == 0) depth.empty_ns += length_ns;
    if (now <= 1) depth.at_most_one_ns += length_ns;
  }
  return depth;
}

}  // namespace gpuwhy
