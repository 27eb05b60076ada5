// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/timelines.h"

#include <algorithm>
#include <bit>
#include <map>

#include "tools/analysis/reserve_rows.h"

namespace gpuwhy {
namespace {

// Takes rows ordered by start and notes the gaps before them.
class TimelineBuilder {
 public:
  // `row_count`: how many rows will come, or more.
  TimelineBuilder(Interval span, int64_t row_count) : at_ns_(span.start_ns) {
    timeline_.span = span;
    ReserveRows(timeline_.gaps, row_count + 1);
  }

  void Add(Interval work, int32_t row) {
    const int64_t start_ns = std::max(work.start_ns, timeline_.span.start_ns);
    const int64_t end_ns = std::min(work.end_ns, timeline_.span.end_ns);
    if (start_ns >= end_ns) return;
    if (start_ns > at_ns_) AddGap(start_ns, row);
    at_ns_ = std::max(at_ns_, end_ns);
  }

  BusyTimeline Finish() {
    if (at_ns_ < timeline_.span.end_ns) {
      AddGap(timeline_.span.end_ns, -1);
      timeline_.gaps.back().is_last = true;
    }
    timeline_.busy_ns = timeline_.span.duration_ns() - timeline_.idle_ns;
    return std::move(timeline_);
  }

 private:
  void AddGap(int64_t end_ns, int32_t next_row) {
    timeline_.gaps.push_back({.start_ns = at_ns_, .end_ns = end_ns, .next_row = next_row});
    timeline_.idle_ns += end_ns - at_ns_;
  }

  BusyTimeline timeline_;
  int64_t at_ns_;  // the end of what was busy so far
};

struct DeviceSpan {
  Interval span;
  int64_t op_count = 0;
};

std::map<int32_t, DeviceSpan> SpansOf(const std::vector<DeviceOp>& ops,
                                      std::optional<Interval> window) {
  std::map<int32_t, DeviceSpan> spans;
  DeviceSpan* last = nullptr;
  int32_t last_gpu_id = -1;
  for (const DeviceOp& op : ops) {
    if (last == nullptr || op.gpu_id != last_gpu_id) {
      last_gpu_id = op.gpu_id;
      last = &spans.try_emplace(op.gpu_id, DeviceSpan{{op.start_ns, op.end_ns}}).first->second;
    }
    last->span.end_ns = std::max(last->span.end_ns, op.end_ns);
    ++last->op_count;
  }
  if (!window) return spans;
  for (auto& [gpu_id, device] : spans)
    device.span = *window;
  if (spans.empty()) spans.emplace(0, DeviceSpan{*window});
  return spans;
}

bool IsBetterLaunch(const HostCall& a, const HostCall& b) {
  const auto rank = [](const HostCall& call) {
    return (call.kind == CallKind::kLaunch || call.kind == CallKind::kCopy ? 2 : 0) +
           (call.is_child ? 0 : 1);
  };
  return rank(a) > rank(b);
}

// -1 when the call is not there.
int32_t RowOfCall(const std::vector<HostCall>& calls, const QueuedWork& stretch) {
  const auto at = std::lower_bound(
      calls.begin(), calls.end(), stretch, [](const HostCall& call, const QueuedWork& wanted) {
        return call.start_ns != wanted.start_ns ? call.start_ns < wanted.start_ns
                                                : call.id < wanted.first_call_id;
      });
  const bool is_found = at != calls.end() && at->id == stretch.first_call_id;
  return is_found ? static_cast<int32_t>(at - calls.begin()) : -1;
}

}  // namespace

LaunchIndex::LaunchIndex(const std::vector<HostCall>& calls)
    : calls_(calls), heads_(std::bit_ceil(calls.size() + 1), -1), next_(calls.size(), -1) {
  for (size_t i = calls.size(); i-- > 0;) {
    if (calls[i].correlation_id == kNoCorrelation) continue;
    int32_t& head = heads_[BucketOf(calls[i].correlation_id)];
    next_[i] = head;
    head = static_cast<int32_t>(i);
  }
}

size_t LaunchIndex::BucketOf(int64_t correlation_id) const {
  // Correlations count up, so their low bits spread them already.
  return static_cast<size_t>(correlation_id) & (heads_.size() - 1);
}

int32_t LaunchIndex::Find(const DeviceOp& op) const {
  int32_t best = -1;
  ForEach(op, [&](int32_t at) {
    const HostCall& call = calls_[static_cast<size_t>(at)];
    if (best < 0 || IsBetterLaunch(call, calls_[static_cast<size_t>(best)])) best = at;
  });
  return best;
}

std::vector<BusyTimeline> DeviceTimelines(const std::vector<DeviceOp>& ops,
                                          std::optional<Interval> window) {
  std::map<int32_t, TimelineBuilder> builders;
  for (const auto& [gpu_id, device] : SpansOf(ops, window))
    builders.try_emplace(gpu_id, device.span, device.op_count);
  TimelineBuilder* builder = nullptr;
  for (size_t i = 0; i < ops.size(); ++i) {
    const DeviceOp& op = ops[i];
    if (i == 0 || op.gpu_id != ops[i - 1].gpu_id) builder = &builders.at(op.gpu_id);
    builder->Add({op.start_ns, op.end_ns}, static_cast<int32_t>(i));
  }
  std::vector<BusyTimeline> timelines;
  timelines.reserve(builders.size());
  for (auto& [gpu_id, of_gpu] : builders) {
    timelines.push_back(of_gpu.Finish());
    timelines.back().gpu_id = gpu_id;
  }
  return timelines;
}

BusyTimeline ApiTimeline(const std::vector<HostCall>& calls, Interval window, bool is_whole_trace) {
  TimelineBuilder builder(window, static_cast<int64_t>(calls.size()));
  for (size_t i = 0; i < calls.size(); ++i)
    builder.Add({calls[i].start_ns, calls[i].end_ns}, static_cast<int32_t>(i));
  BusyTimeline timeline = builder.Finish();
  for (Gap& gap : timeline.gaps) {
    if (gap.next_row >= 0) gap.thread_id = calls[static_cast<size_t>(gap.next_row)].thread_id;
    gap.launch_row = gap.next_row;
  }
  if (is_whole_trace && !timeline.gaps.empty() && !calls.empty()) {
    Gap& first = timeline.gaps.front();
    first.is_start_up = first.start_ns == window.start_ns && !first.is_last;
  }
  return timeline;
}

BusyTimeline QueueTimeline(const std::vector<QueuedWork>& work, Interval span,
                           const std::vector<HostCall>& calls) {
  TimelineBuilder builder(span, static_cast<int64_t>(work.size()));
  for (const QueuedWork& stretch : work)
    builder.Add({stretch.start_ns, stretch.end_ns}, RowOfCall(calls, stretch));
  BusyTimeline timeline = builder.Finish();
  for (Gap& gap : timeline.gaps) {
    gap.launch_row = gap.next_row;
    if (gap.next_row >= 0) gap.thread_id = calls[static_cast<size_t>(gap.next_row)].thread_id;
  }
  return timeline;
}

void LinkLaunches(const std::vector<DeviceOp>& ops, const LaunchIndex& launches,
                  BusyTimeline& timeline) {
  for (Gap& gap : timeline.gaps) {
    if (gap.next_row < 0) continue;
    gap.launch_row = launches.Find(ops[static_cast<size_t>(gap.next_row)]);
    if (gap.launch_row < 0) continue;
    const HostCall& launch = launches.calls()[static_cast<size_t>(gap.launch_row)];
    gap.launch_end_ns = launch.end_ns;
    gap.thread_id = launch.thread_id;
  }
}

void AssignLastGap(BusyTimeline& timeline) {
  if (timeline.gaps.empty() || !timeline.gaps.back().is_last) return;
  std::map<int64_t, int64_t> idle_ns;
  for (const Gap& gap : timeline.gaps) {
    if (gap.thread_id != 0) idle_ns[gap.thread_id] += gap.duration_ns();
  }
  const auto main =
      std::max_element(idle_ns.begin(), idle_ns.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (main != idle_ns.end()) timeline.gaps.back().thread_id = main->first;
}

}  // namespace gpuwhy
