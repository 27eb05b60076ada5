// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/activity_split.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace gpuwhy {
namespace {

struct DeviceSets {
  std::array<UnionBuilder, kKernelClassCount> classes;
  UnionBuilder all;
  Interval span{INT64_MAX, INT64_MIN};
};

void AddDevice(DeviceSets& sets, ActivitySplit& split) {
  std::array<Intervals, kKernelClassCount> classes;
  for (size_t i = 0; i < classes.size(); ++i) {
    classes[i] = sets.classes[i].Take();
    split.class_ns[i] += Length(classes[i]);
  }
  split.busy_ns += Length(sets.all.result());
  split.span_ns += std::max(int64_t{0}, sets.span.end_ns - sets.span.start_ns);
  split.comm_overlapped_ns +=
      Length(Intersect(classes[static_cast<size_t>(KernelClass::kComm)],
                       classes[static_cast<size_t>(KernelClass::kCompute)]));
}

struct Durations {
  KernelClass kernel_class = KernelClass::kCompute;
  std::vector<int64_t> ns;
};

OpStats StatsOf(int32_t name_id, Durations& durations) {
  OpStats stats = {.name_id = name_id,
                   .kernel_class = durations.kernel_class,
                   .call_count = static_cast<int64_t>(durations.ns.size())};
  for (const int64_t ns : durations.ns) {
    stats.total_ns += ns;
    stats.max_ns = std::max(stats.max_ns, ns);
  }
  const int64_t rank = (stats.call_count * 99 + 99) / 100;
  const auto at = durations.ns.begin() + (rank - 1);
  std::nth_element(durations.ns.begin(), at, durations.ns.end());
  stats.p99_ns = *at;
  return stats;
}

}  // namespace

ActivitySplit SplitActivity(const std::vector<DeviceOp>& ops, Interval window) {
  std::map<int32_t, DeviceSets> devices;
  ActivitySplit split;
  for (const DeviceOp& op : ops) {
    const Interval clipped = {std::max(op.start_ns, window.start_ns),
                              std::min(op.end_ns, window.end_ns)};
    if (clipped.start_ns > clipped.end_ns) continue;
    const auto index = static_cast<size_t>(op.kernel_class);
    DeviceSets& device = devices[op.gpu_id];
    device.classes[index].Add(clipped);
    device.all.Add(clipped);
    device.span = {std::min(device.span.start_ns, clipped.start_ns),
                   std::max(device.span.end_ns, clipped.end_ns)};
    split.class_sum_ns[index] += clipped.duration_ns();
    ++split.class_count[index];
  }
  for (auto& [gpu_id, device] : devices)
    AddDevice(device, split);
  return split;
}

std::vector<OpStats> StatsByName(const std::vector<DeviceOp>& ops) {
  std::unordered_map<int32_t, Durations> by_name;
  for (const DeviceOp& op : ops) {
    Durations& durations = by_name[op.name_id];
    durations.kernel_class = op.kernel_class;
    durations.ns.push_back(op.end_ns - op.start_ns);
  }
  std::vector<OpStats> stats;
  stats.reserve(by_name.size());
  for (auto& [name_id, durations] : by_name)
    stats.push_back(StatsOf(name_id, durations));
  std::sort(stats.begin(), stats.end(), [](const OpStats& a, const OpStats& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name_id < b.name_id;
  });
  return stats;
}

}  // namespace gpuwhy
