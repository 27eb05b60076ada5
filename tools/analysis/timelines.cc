// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/timelines.h"

#include <algorithm>
#include <bit>
#include <map>

namespace gpuwhy {
namespace {

// Takes rows ordered by start and notes busy stretches and the gaps before them.
class TimelineBuilder {
 public:
  explicit TimelineBuilder(Interval span) { timeline_.span = span; }

  void Add(Interval work, int32_t row) {
    const Interval clipped = {std::max(work.start_ns, timeline_.span.start_ns),
                              std::min(work.end_ns, timeline_.span.end_ns)};
    if (clipped.start_ns >= clipped.end_ns) return;
    if (clipped.start_ns > at_ns()) AddGap({at_ns(), clipped.start_ns}, row);
    busy_.Add(clipped);
  }

  BusyTimeline Finish() {
    if (at_ns() < timeline_.span.end_ns) {
      AddGap({at_ns(), timeline_.span.end_ns}, -1);
      timeline_.gaps.back().is_last = true;
    }
    timeline_.busy = busy_.Take();
    timeline_.busy_ns = Length(timeline_.busy);
    timeline_.idle_ns = timeline_.span.duration_ns() - timeline_.busy_ns;
    return std::move(timeline_);
  }

 private:
  int64_t at_ns() const {
    return busy_.result().empty() ? timeline_.span.start_ns : busy_.result().back().end_ns;
  }
  void AddGap(Interval interval, int32_t next_row) {
    timeline_.gaps.push_back(
        {.start_ns = interval.start_ns, .end_ns = interval.end_ns, .next_row = next_row});
  }

  BusyTimeline timeline_;
  UnionBuilder busy_;
};

std::map<int32_t, Interval> SpansOf(const std::vector<DeviceOp>& ops,
                                    std::optional<Interval> window) {
  std::map<int32_t, Interval> spans;
  for (const DeviceOp& op : ops) {
    const auto [it, is_new] = spans.try_emplace(op.gpu_id, Interval{op.start_ns, op.end_ns});
    it->second.end_ns = std::max(it->second.end_ns, op.end_ns);
  }
  if (!window) return spans;
  for (auto& [gpu_id, span] : spans)
    span = *window;
  if (spans.empty()) spans.emplace(0, *window);
  return spans;
}

bool IsBetterLaunch(const HostCall& a, const HostCall& b) {
  const auto rank = [](const HostCall& call) {
    return (call.kind == CallKind::kLaunch || call.kind == CallKind::kCopy ? 2 : 0) +
           (call.is_child ? 0 : 1);
  };
  return rank(a) > rank(b);
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
  if (op.correlation_id == kNoCorrelation) return -1;
  int32_t best = -1;
  for (int32_t at = heads_[BucketOf(op.correlation_id)]; at >= 0;
       at = next_[static_cast<size_t>(at)]) {
    const HostCall& call = calls_[static_cast<size_t>(at)];
    if (call.correlation_id != op.correlation_id) continue;
    if (op.process_id != 0 && call.process_id != op.process_id) continue;
    if (best < 0 || IsBetterLaunch(call, calls_[static_cast<size_t>(best)])) best = at;
  }
  return best;
}

std::vector<BusyTimeline> DeviceTimelines(const std::vector<DeviceOp>& ops,
                                          std::optional<Interval> window) {
  std::map<int32_t, TimelineBuilder> builders;
  for (const auto& [gpu_id, span] : SpansOf(ops, window))
    builders.emplace(gpu_id, span);
  for (size_t i = 0; i < ops.size(); ++i) {
    builders.at(ops[i].gpu_id).Add({ops[i].start_ns, ops[i].end_ns}, static_cast<int32_t>(i));
  }
  std::vector<BusyTimeline> timelines;
  for (auto& [gpu_id, builder] : builders) {
    timelines.push_back(builder.Finish());
    timelines.back().gpu_id = gpu_id;
  }
  return timelines;
}

BusyTimeline ApiTimeline(const std::vector<HostCall>& calls, Interval window, bool is_whole_trace) {
  TimelineBuilder builder(window);
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
