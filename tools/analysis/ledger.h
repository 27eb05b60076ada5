// SPDX-License-Identifier: Apache-2.0
// The idle ledger: divides every gap among exclusive causes, in time, so that the parts sum to the
// idle time to the nanosecond. Pure: it works on what was loaded and knows no database.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/analysis/idle_class.h"
#include "tools/analysis/intervals.h"

namespace gpuwhy {

// Launched this long ago or less, an operation that has not started is under way, not waiting.
inline constexpr int64_t kLaunchLatencyNs = 30'000;

// What one thread did, as far as it was recorded. The sets may reach beyond the window.
struct ThreadRecord {
  int64_t thread_id = 0;
  bool is_scheduling_known = false;  // off_cpu rows exist: outside them the thread was on a core
  std::array<Intervals, kIdleClassCount> states;  // the set of each class from kSyncCall to kSleep
                                                  // and kOffCpuUnknown; others are ignored
  Intervals code;                                 // inside Python or framework ranges
  int64_t end_ns = INT64_MAX;                     // when the thread ended
};

// One maximal stretch without work.
struct Gap {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t launch_end_ns = INT64_MAX;  // return of the call that launched the next operation
  int64_t thread_id = 0;              // whose turn it was; 0 = unknown
  int32_t next_row = -1;     // position of the next operation in DeviceOps, or call in HostCalls
  int32_t launch_row = -1;   // position of its launch in HostCalls
  bool is_start_up = false;  // nothing came before it in the trace
  bool is_last = false;      // nothing follows
  int64_t duration_ns() const { return end_ns - start_ns; }
  Interval interval() const { return {start_ns, end_ns}; }
};

using ClassTimes = std::array<int64_t, kIdleClassCount>;

struct LedgerInput {
  const std::vector<Gap>& gaps;  // ascending
  const Intervals& overhead;
  // What a thread did; nullptr when nothing is known of it. Called once per thread.
  std::function<const ThreadRecord*(int64_t thread_id)> record_of;
};

struct ClassTotal {
  int64_t time_ns = 0;
  int64_t gap_count = 0;   // gaps with any time of the class
  int64_t longest_ns = 0;  // largest part of one gap
};

struct Ledger {
  int64_t idle_ns = 0;
  std::array<ClassTotal, kIdleClassCount> totals;

  const ClassTotal& of(IdleClass idle_class) const {
    return totals[static_cast<size_t>(idle_class)];
  }
};

// Linear in gaps and intervals; keeps nothing per gap, of which a trace may have millions.
Ledger MakeLedger(const LedgerInput& input);
// The parts of one of input.gaps, in logarithmic time to find them.
ClassTimes TimesOfGap(const LedgerInput& input, const Gap& gap);
IdleClass MainClass(const ClassTimes& times);

}  // namespace gpuwhy
