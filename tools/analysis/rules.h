// SPDX-License-Identifier: Apache-2.0
// The twelve ruling-out rules that stand before every finding and every verdict. Each was learned
// from cases in which a profiler named the wrong cause. Pure functions on numbers, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/analysis/intervals.h"
#include "tools/analysis/trace_facts.h"
#include "tools/detector.h"

namespace gpuwhy::rules {

// R1 voluntary waits are not stalls.
// True for a wait a little longer than a round number that programs pass as a time-out: 5.000 s,
// 50.1 ms. Below 10 ms everything is near a round number, so nothing is.
bool IsTimeoutShaped(int64_t duration_ns);
// `reason` as in off_cpu.reason.
bool IsVoluntaryWait(std::string_view reason, int64_t duration_ns);
struct SleepLoop {
  bool is_loop = false;
  int64_t wait_count = 0;  // waits of the typical length
  int64_t typical_ns = 0;
  int64_t total_ns = 0;
};
// A thread that waits the same time-out-shaped time again and again, and hardly anything else.
SleepLoop FindSleepLoop(std::span<const int64_t> waits_ns);

// R2 feeders first: only threads whose next action would feed the device count.
bool IsFeeder(std::span<const Feeder> feeders, int64_t thread_id);

// R3 warm-up out.
bool IsWarmUp(const WarmUp& warm_up, int64_t time_ns);

// R4 explain by size.
struct SizeSample {
  int64_t bytes = 0;
  int64_t duration_ns = 0;
};
struct SizeFit {
  int64_t sample_count = 0;
  double r = 0;                  // Pearson's, of bytes and duration
  double bytes_per_s = 0;        // median of those of at least average size
  bool EndsTailFinding() const;  // r squared at least 0.9 over at least 10 samples
};
SizeFit FitBySize(std::span<const SizeSample> samples);

// R5 the cost of a synchronisation is the idle time it causes: from its end to the next operation,
// when it drained the device. Less than 20 us is the queue at work.
int64_t IdleCausedBySync(int64_t sync_end_ns, const Intervals& idle);

// R6 a runnable thread beside an idle CPU has a quota or a mask; beside busy ones, a competitor.
enum class CoreWait { kNone, kContention, kQuotaOrMask, kUnknown };
CoreWait ClassifyCoreWait(int64_t runnable_ns, std::optional<double> cpu_busy_pct);

// R7 I/O must explain idle time before it is a cause, and is cleared when it cannot.
bool IoExplainsIdle(int64_t blocked_ns, int64_t idle_ns);
bool IoIsCleared(int64_t blocked_ns, int64_t idle_ns);

// R8 busy is not fed: a busy device is not starved, but a collective spin is not work either.
bool IsBusyEnough(int64_t busy_ns, int64_t span_ns);
bool IsMostlyCollective(int64_t collective_ns, int64_t busy_ns);

// R9 missing rows are not idle time.
bool HasLostDeviceRows(int64_t launch_count, int64_t device_op_count);
bool CanTrustGaps(int64_t stored_count, int64_t counted_count);

// R10 our own footprint: recorders and the journal writes that they cause.
bool IsRecorder(std::string_view process_name);
bool IsJournal(std::string_view process_name);

// R11 two-sided test: what would be seen if the cause were another one, and what is seen.
struct CounterTest {
  enum class Outcome { kHeld, kFailed, kNotObserved };
  std::string expectation;  // "if the device had work queued, the next sync would wait"
  std::string observation;  // "the longest took 93.6 us"
  Outcome outcome = Outcome::kNotObserved;
};
std::string TextOf(const CounterTest& test);

// R12 unknown stays unknown.
int64_t Unexplained(int64_t total_ns, std::span<const int64_t> parts_ns);
struct Bounds {
  bool is_overlap_only = false;       // a link is only overlap in time
  bool is_collector_missing = false;  // a collector that the rule needs is absent
  bool has_counter_test = true;       // one that could have failed and held
};
// HIGH survives only what can be defended.
Severity Bound(Severity severity, const Bounds& bounds);

}  // namespace gpuwhy::rules
