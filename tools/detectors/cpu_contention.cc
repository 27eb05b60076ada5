// SPDX-License-Identifier: Apache-2.0
// The thread that feeds the device is ready to run and another task has the core. Needs rows that
// tell waiting for a core from waiting for something; without them, all time off a core bounds it.
#include <fmt/format.h>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/host_activity.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::cpu_contention {
namespace {

constexpr double kMinShare = 0.01;
constexpr double kHarmlessShare = 0.05;

// Waits of the feeding thread within idle time.
struct Waits {
  bool is_known = false;
  bool has_runnable = false;
  int64_t off_cpu_ns = 0;
  int64_t runnable_ns = 0;
  int64_t count = 0;
  int64_t longest_id = 0;
};

std::string WaitsSql(const IdlePicture& picture) {
  return fmt::format(
      "SELECT count(*) AS waits, coalesce(sum(runnable_ns), 0) AS runnable_ns FROM off_cpu WHERE "
      "thread_id = {} AND runnable_ns > 0 AND start_ns < {} AND start_ns + duration_ns > {}",
      picture.feeder_thread_id, picture.span.end_ns, picture.span.start_ns);
}

// Being runnable ends a wait: the core comes last.
Result<Waits> WaitsOf(const TraceFacts& facts, const IdlePicture& picture) {
  Waits waits;
  GPUWHY_ASSIGN_OR_RETURN(const ThreadActivity* activity,
                          facts.ActivityOf(picture.feeder_thread_id));
  waits.is_known = activity->is_known;
  waits.off_cpu_ns = Length(Intersect(activity->off_cpu, picture.idle));
  std::vector<Interval> runnable;
  int64_t longest_ns = 0;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT start_ns + duration_ns, runnable_ns, id FROM off_cpu NOT INDEXED WHERE thread_id = "
      "?1 AND "
      "runnable_ns IS NOT NULL AND start_ns < ?3 AND start_ns + duration_ns > ?2",
      {picture.feeder_thread_id, picture.span.start_ns, picture.span.end_ns}, [&](const Row& row) {
        waits.has_runnable = true;
        runnable.push_back({row.Int(0) - row.Int(1), row.Int(0)});
        waits.count += row.Int(1) > 0 ? 1 : 0;
        if (row.Int(1) <= longest_ns) return;
        longest_ns = row.Int(1);
        waits.longest_id = row.Int(2);
      }));
  waits.runnable_ns = Length(Intersect(Normalize(std::move(runnable)), picture.idle));
  return waits;
}

Result<std::string> Aggressors(const TraceFacts& facts, const IdlePicture& picture) {
  std::string text;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT preemptor_thread_id, sum(runnable_ns) FROM off_cpu NOT INDEXED WHERE thread_id = ?1 "
      "AND "
      "preemptor_thread_id IS NOT NULL AND runnable_ns > 0 AND start_ns < ?3 AND start_ns + "
      "duration_ns > ?2 GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
      {picture.feeder_thread_id, picture.span.start_ns, picture.span.end_ns}, [&](const Row& row) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                            facts.actors().DescribeThread(row.Int(0)), FormatDuration(row.Int(1)));
      }));
  return text;
}

struct Evidence {
  Waits waits;
  std::string aggressors;
  CpuLoad cpu;
};

Finding MakeFinding(const TraceFacts& facts, const IdlePicture& picture, const Evidence& evidence) {
  const Waits& waits = evidence.waits;
  const bool is_cpu_known = evidence.cpu.sample_count > 0;
  Finding finding{.detector = "cpu-contention",
                  .severity = rules::Bound(
                      SeverityOfShare(waits.runnable_ns, picture.wall_ns()),
                      {.is_overlap_only = evidence.aggressors.empty(),
                       .is_collector_missing = evidence.aggressors.empty() && !is_cpu_known}),
                  .start_ns = picture.span.start_ns,
                  .end_ns = picture.span.end_ns,
                  .lost_ns = waits.runnable_ns};
  finding.title = fmt::format("{} was ready and waited {} for a core while the GPU was idle",
                              facts.actors().DescribeThread(picture.feeder_thread_id),
                              FormatDuration(waits.runnable_ns));
  int64_t total_ns = 0;
  const Status counted =
      facts.db().Query(WaitsSql(picture), {}, [&](const Row& row) { total_ns = row.Int(1); });
  if (counted.ok()) finding.evidence = {NsFact("runnable_ns", "ready without a core", total_ns)};
  finding.evidence.push_back(
      NsFact("runnable_in_gaps_ns", "of it in idle time", waits.runnable_ns));
  finding.evidence.push_back(CountFact("wait_count", "waits", waits.count));
  if (!evidence.aggressors.empty()) {
    finding.evidence.push_back(TextFact("aggressors", "the core went to", evidence.aggressors));
  }
  finding.evidence_sql = WaitsSql(picture);
  if (waits.longest_id != 0) finding.row_ids = {RowId("off_cpu", waits.longest_id)};
  finding.counter_test = rules::TextOf(
      {.expectation = "if a quota or an affinity mask held it back, CPUs would be idle meanwhile",
       .observation = is_cpu_known
                          ? fmt::format("CPU load {} %", FormatNumber(evidence.cpu.mean_pct, 0))
                          : "CPU load not recorded",
       .outcome = is_cpu_known ? rules::CounterTest::Outcome::kHeld
                               : rules::CounterTest::Outcome::kNotObserved});
  finding.basis = "measured: time between wake-up or pre-emption and running, inside idle time";
  finding.fix =
      "keep cores for the feeding thread: fewer workers, taskset or a cpuset for the "
      "others, disjoint cores per rank";
  return finding;
}

Result<Detection> FromRunnable(const TraceFacts& facts, const IdlePicture& picture,
                               const Waits& waits) {
  if (RatioOf(waits.runnable_ns, picture.wall_ns()) < kMinShare) {
    return NothingFound(fmt::format("the feeding thread waited {} for a core in idle time",
                                    FormatDuration(waits.runnable_ns)));
  }
  Evidence evidence{.waits = waits};
  GPUWHY_ASSIGN_OR_RETURN(evidence.cpu, CpuLoadIn(facts, picture.span));
  const bool is_cpu_known = evidence.cpu.sample_count > 0;
  const auto load = is_cpu_known ? std::optional(evidence.cpu.mean_pct) : std::nullopt;
  if (rules::ClassifyCoreWait(waits.runnable_ns, load) == rules::CoreWait::kQuotaOrMask) {
    return NothingFound(fmt::format(
        "the feeding thread was ready for {} beside idle CPUs ({} % busy): a quota or an affinity "
        "mask, not contention",
        FormatDuration(waits.runnable_ns), FormatNumber(evidence.cpu.mean_pct, 0)));
  }
  GPUWHY_ASSIGN_OR_RETURN(evidence.aggressors, Aggressors(facts, picture));
  return Detection(std::vector<Finding>{MakeFinding(facts, picture, evidence)});
}

Result<Detection> Find(const TraceFacts& facts) {
  if (!facts.Has(Collector::kOffCpu)) return Abstain(fmt::format("needs {}", kNeedsScheduling));
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  if (!picture.IsUsable()) return Detection(picture.Silence());
  if (picture.feeder_thread_id == 0) return NothingFound("no thread feeds the GPU");
  GPUWHY_ASSIGN_OR_RETURN(const Waits waits, WaitsOf(facts, picture));
  if (waits.has_runnable) return FromRunnable(facts, picture, waits);
  const double most = RatioOf(waits.off_cpu_ns, Length(picture.idle));
  if (waits.is_known && most < kHarmlessShare) {
    return NothingFound(
        fmt::format("the feeding thread was off its core for {} of idle time, whatever the reason",
                    Percent(most)));
  }
  return Abstain(
      fmt::format("rows do not tell waiting for a core from waiting for something: needs {}",
                  kNeedsScheduling));
}

}  // namespace

Detector Define() {
  return {.name = "cpu-contention",
          .question = "Was the thread that feeds the GPU ready to run while others had the cores?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::cpu_contention
