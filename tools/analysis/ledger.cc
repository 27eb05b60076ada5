// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/ledger.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "schema/base/result.h"

namespace gpuwhy {
namespace {

size_t IndexOf(IdleClass idle_class) {
  return static_cast<size_t>(idle_class);
}

// The classes that are sets of instants of a thread, in the order in which they are asked.
constexpr std::array kThreadClasses = {
    IdleClass::kSyncCall,     IdleClass::kCopyCall,   IdleClass::kAllocationCall,
    IdleClass::kModuleLoad,   IdleClass::kLaunchCall, IdleClass::kRunnable,
    IdleClass::kPageFault,    IdleClass::kBlockIo,    IdleClass::kNetwork,
    IdleClass::kLock,         IdleClass::kDataLoader, IdleClass::kSleep,
    IdleClass::kOffCpuUnknown};

// Puts `added` (a subset of what no earlier class took) into the list.
void Emit(const Intervals& added, IdleClass idle_class,
          std::vector<std::pair<Interval, IdleClass>>& out) {
  for (const Interval& interval : added)
    out.emplace_back(interval, idle_class);
}

// Walks a timeline with a position that only moves forward.
class Cursor {
 public:
  explicit Cursor(const StateTimeline* timeline) : timeline_(timeline) {}

  void AddTimes(Interval part, ClassTimes& times) {
    if (part.start_ns >= part.end_ns) return;
    if (timeline_ == nullptr || timeline_->empty()) {
      times[IndexOf(IdleClass::kHostUnobserved)] += part.duration_ns();
      return;
    }
    Seek(part.start_ns);
    int64_t at_ns = part.start_ns;
    for (size_t i = at_; at_ns < part.end_ns; ++i) {
      const bool is_last = i + 1 == timeline_->size();
      const int64_t until_ns =
          is_last ? part.end_ns : std::min((*timeline_)[i + 1].start_ns, part.end_ns);
      times[IndexOf((*timeline_)[i].idle_class)] += until_ns - at_ns;
      at_ns = until_ns;
    }
  }

 private:
  void Seek(int64_t time_ns) {
    while (at_ + 1 < timeline_->size() && (*timeline_)[at_ + 1].start_ns <= time_ns)
      ++at_;
  }

  const StateTimeline* timeline_;
  size_t at_ = 0;
};

class LedgerMaker {
 public:
  explicit LedgerMaker(const LedgerInput& input) : input_(input) {}

  Ledger Make() {
    ledger_.gap_times.reserve(input_.gaps.size());
    for (const Gap& gap : input_.gaps)
      AddGap(gap);
    return std::move(ledger_);
  }

 private:
  void AddGap(const Gap& gap) {
    ClassTimes times{};
    int64_t at_ns = gap.start_ns;
    while (overhead_at_ < input_.overhead.size() &&
           input_.overhead[overhead_at_].end_ns <= gap.start_ns)
      ++overhead_at_;
    for (size_t i = overhead_at_;
         i < input_.overhead.size() && input_.overhead[i].start_ns < gap.end_ns; ++i) {
      const int64_t from_ns = std::max(input_.overhead[i].start_ns, at_ns);
      const int64_t to_ns = std::min(input_.overhead[i].end_ns, gap.end_ns);
      AddPart(gap, {at_ns, from_ns}, times);
      times[IndexOf(IdleClass::kProfilerOverhead)] += to_ns - from_ns;
      at_ns = to_ns;
    }
    AddPart(gap, {at_ns, gap.end_ns}, times);
    Count(gap, times);
  }

  // A part of a gap without overhead: before the launch returned, the host; after it, the device.
  void AddPart(const Gap& gap, Interval part, ClassTimes& times) {
    if (part.start_ns >= part.end_ns) return;
    const int64_t launched_ns = std::clamp(gap.launch_end_ns, part.start_ns, part.end_ns);
    const int64_t late_ns =
        gap.launch_end_ns > INT64_MAX - kLaunchLatencyNs
            ? part.end_ns
            : std::clamp(gap.launch_end_ns + kLaunchLatencyNs, launched_ns, part.end_ns);
    times[IndexOf(IdleClass::kLaunchLatency)] += late_ns - launched_ns;
    times[IndexOf(IdleClass::kDeviceQueue)] += part.end_ns - late_ns;
    AddHost(gap, {part.start_ns, launched_ns}, times);
  }

  void AddHost(const Gap& gap, Interval part, ClassTimes& times) {
    if (gap.is_start_up) {
      times[IndexOf(IdleClass::kStartUp)] += part.duration_ns();
      return;
    }
    ClassTimes host{};
    CursorOf(gap.thread_id).AddTimes(part, host);
    if (gap.is_last) {
      host[IndexOf(IdleClass::kEndOfTrace)] += host[IndexOf(IdleClass::kHostUnobserved)];
      host[IndexOf(IdleClass::kHostUnobserved)] = 0;
    }
    for (size_t i = 0; i < host.size(); ++i)
      times[i] += host[i];
  }

  Cursor& CursorOf(int64_t thread_id) {
    if (const auto it = cursors_.find(thread_id); it != cursors_.end()) return it->second;
    return cursors_.emplace(thread_id, Cursor(input_.timeline_of(thread_id))).first->second;
  }

  void Count(const Gap& gap, const ClassTimes& times) {
    int64_t sum_ns = 0;
    for (size_t i = 0; i < times.size(); ++i) {
      ClassTotal& total = ledger_.totals[i];
      total.time_ns += times[i];
      total.gap_count += times[i] > 0 ? 1 : 0;
      total.longest_ns = std::max(total.longest_ns, times[i]);
      sum_ns += times[i];
    }
    GPUWHY_CHECK(sum_ns == gap.duration_ns());
    ledger_.idle_ns += sum_ns;
    ledger_.gap_times.push_back(times);
  }

  const LedgerInput& input_;
  size_t overhead_at_ = 0;
  std::unordered_map<int64_t, Cursor> cursors_;
  Ledger ledger_;
};

}  // namespace

StateTimeline Flatten(const ThreadRecord& record, Interval window) {
  std::vector<std::pair<Interval, IdleClass>> parts;
  const int64_t alive_end_ns = std::clamp(record.end_ns, window.start_ns, window.end_ns);
  Emit(Gaps({}, {alive_end_ns, window.end_ns}), IdleClass::kEndOfTrace, parts);
  Intervals left = Gaps({}, {window.start_ns, alive_end_ns});
  const auto take = [&](const Intervals& states, IdleClass idle_class) {
    if (states.empty()) return;
    Emit(Intersect(left, states), idle_class, parts);
    left = Subtract(left, states);
  };
  for (const IdleClass idle_class : kThreadClasses)
    take(record.states[IndexOf(idle_class)], idle_class);
  take(record.code, record.is_scheduling_known ? IdleClass::kPythonOnCpu : IdleClass::kHostCode);
  Emit(left, record.is_scheduling_known ? IdleClass::kNativeOnCpu : IdleClass::kHostUnobserved,
       parts);
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first.start_ns < b.first.start_ns; });
  StateTimeline timeline;
  for (const auto& [interval, idle_class] : parts) {
    if (timeline.empty() || timeline.back().idle_class != idle_class)
      timeline.push_back({interval.start_ns, idle_class});
  }
  return timeline;
}

Ledger MakeLedger(const LedgerInput& input) {
  return LedgerMaker(input).Make();
}

IdleClass MainClass(const ClassTimes& times) {
  return static_cast<IdleClass>(std::max_element(times.begin(), times.end()) - times.begin());
}

}  // namespace gpuwhy
