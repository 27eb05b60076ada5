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
    IdleClass::kSyncCall,   IdleClass::kCopyCall,     IdleClass::kAllocationCall,
    IdleClass::kModuleLoad, IdleClass::kLaunchCall,   IdleClass::kRunnable,
    IdleClass::kPageFault,  IdleClass::kBlockIo,      IdleClass::kNetwork,
    IdleClass::kLock,       IdleClass::kDataLoader,   IdleClass::kHandOver,
    IdleClass::kSleep,      IdleClass::kOffCpuUnknown};

// Walks the sets of a thread side by side, with positions that only move forward: what holds at an
// instant is the first of them that has it.
class Cursor {
 public:
  explicit Cursor(const ThreadRecord* record) : record_(record) {
    if (record == nullptr) return;
    for (const IdleClass idle_class : kThreadClasses)
      AddSet(record->states[IndexOf(idle_class)], idle_class);
    AddSet(record->code,
           record->is_scheduling_known ? IdleClass::kPythonOnCpu : IdleClass::kHostCode);
    if (record->is_scheduling_known) otherwise_ = IdleClass::kNativeOnCpu;
  }

  // Parts come in ascending order.
  void AddTimes(Interval part, ClassTimes& times) {
    const int64_t alive_end_ns =
        record_ == nullptr ? part.end_ns : std::clamp(record_->end_ns, part.start_ns, part.end_ns);
    times[IndexOf(IdleClass::kEndOfTrace)] += part.end_ns - alive_end_ns;
    if (!has_started_) Seek(part.start_ns);
    for (int64_t at_ns = part.start_ns; at_ns < alive_end_ns;) {
      const Stretch stretch = StretchAt(at_ns, alive_end_ns);
      times[IndexOf(stretch.idle_class)] += stretch.end_ns - at_ns;
      at_ns = stretch.end_ns;
    }
  }

 private:
  struct Set {
    const Interval* at;
    const Interval* end;
    IdleClass idle_class;
  };
  struct Stretch {
    int64_t end_ns;
    IdleClass idle_class;
  };

  void AddSet(const Intervals& intervals, IdleClass idle_class) {
    if (!intervals.empty())
      sets_[set_count_++] = {intervals.data(), intervals.data() + intervals.size(), idle_class};
  }

  // The first part may lie anywhere.
  void Seek(int64_t time_ns) {
    has_started_ = true;
    for (size_t i = 0; i < set_count_; ++i) {
      Set& set = sets_[i];
      set.at = std::partition_point(set.at, set.end, [time_ns](const Interval& interval) {
        return interval.end_ns <= time_ns;
      });
    }
  }

  // How long, until `limit_ns` at most, one class holds from `time_ns` on. A set of lower rank
  // need not be asked before that.
  Stretch StretchAt(int64_t time_ns, int64_t limit_ns) {
    Stretch stretch = {limit_ns, otherwise_};
    for (size_t i = 0; i < set_count_; ++i) {
      Set& set = sets_[i];
      while (set.at != set.end && set.at->end_ns <= time_ns)
        ++set.at;
      if (set.at == set.end) continue;
      if (set.at->start_ns <= time_ns) {
        return {std::min(stretch.end_ns, set.at->end_ns), set.idle_class};
      }
      stretch.end_ns = std::min(stretch.end_ns, set.at->start_ns);
    }
    return stretch;
  }

  const ThreadRecord* record_;
  std::array<Set, kThreadClasses.size() + 1> sets_{};
  size_t set_count_ = 0;
  IdleClass otherwise_ = IdleClass::kHostUnobserved;
  bool has_started_ = false;
};

class GapDivider {
 public:
  explicit GapDivider(const LedgerInput& input) : input_(input) {}

  // Gaps come in ascending order.
  ClassTimes TimesOf(const Gap& gap) {
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
    return times;
  }

 private:
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
    if (part.start_ns >= part.end_ns) return;
    CursorOf(gap.thread_id).AddTimes(part, times);
    if (gap.is_last) {  // only here do these times of a gap come from the host
      times[IndexOf(IdleClass::kEndOfTrace)] += times[IndexOf(IdleClass::kHostUnobserved)];
      times[IndexOf(IdleClass::kHostUnobserved)] = 0;
    }
  }

  Cursor& CursorOf(int64_t thread_id) {
    if (last_ != nullptr && last_thread_id_ == thread_id) return *last_;
    const auto [it, is_new] = cursors_.try_emplace(thread_id, nullptr);
    if (is_new) it->second = Cursor(input_.record_of(thread_id));
    last_ = &it->second;
    last_thread_id_ = thread_id;
    return *last_;
  }

  const LedgerInput& input_;
  size_t overhead_at_ = 0;
  std::unordered_map<int64_t, Cursor> cursors_;  // its elements stay where they are
  Cursor* last_ = nullptr;
  int64_t last_thread_id_ = 0;
};

void Count(const Gap& gap, const ClassTimes& times, Ledger& ledger) {
  int64_t sum_ns = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    ClassTotal& total = ledger.totals[i];
    total.time_ns += times[i];
    total.gap_count += times[i] > 0 ? 1 : 0;
    total.longest_ns = std::max(total.longest_ns, times[i]);
    sum_ns += times[i];
  }
  GPUWHY_CHECK(sum_ns == gap.duration_ns());
  ledger.idle_ns += sum_ns;
}

}  // namespace

Ledger MakeLedger(const LedgerInput& input) {
  GapDivider divider(input);
  Ledger ledger;
  for (const Gap& gap : input.gaps)
    Count(gap, divider.TimesOf(gap), ledger);
  return ledger;
}

ClassTimes TimesOfGap(const LedgerInput& input, const Gap& gap) {
  return GapDivider(input).TimesOf(gap);
}

IdleClass MainClass(const ClassTimes& times) {
  return static_cast<IdleClass>(std::max_element(times.begin(), times.end()) - times.begin());
}

}  // namespace gpuwhy
