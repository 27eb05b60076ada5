// SPDX-License-Identifier: Apache-2.0
// Producers of batches wait for a disk while the device has nothing to do. Where the recorder did
// not say why threads stopped, reads and switches are paired.
#include <fmt/format.h>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/idle_sql.h"
#include "tools/analysis/io_waits.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::loader_io_bound {
namespace {

constexpr double kProducerRatio = 0.5;
constexpr double kMinShare = 0.05;

// What disk waits are measured against: idle time, or, where that is unknown, the wall clock.
struct Yardstick {
  bool has_idle = false;
  int64_t total_ns = 0;    // idle time, or wall
  int64_t blocked_ns = 0;  // disk waits inside it
  int64_t wall_ns = 0;
};

Yardstick Measure(const TraceFacts& facts, const IdlePicture& picture, const IoWaits& io) {
  const int64_t blocked_ns = Length(io.blocked);
  if (!picture.IsUsable()) {
    const int64_t wall_ns = facts.window().duration_ns();
    return {.total_ns = wall_ns, .blocked_ns = blocked_ns, .wall_ns = wall_ns};
  }
  return {.has_idle = true,
          .total_ns = Length(picture.idle),
          .blocked_ns = Length(Intersect(io.blocked, picture.idle)),
          .wall_ns = picture.wall_ns()};
}

bool IsCause(const Yardstick& yardstick, const IoWaits& io) {
  if (!rules::IoExplainsIdle(yardstick.blocked_ns, yardstick.total_ns)) return false;
  const bool is_most_of_wait = RatioOf(Length(io.blocked), io.switch_ns) >= kProducerRatio;
  return is_most_of_wait && RatioOf(yardstick.blocked_ns, yardstick.wall_ns) >= kMinShare;
}

void AddEvidence(const TraceFacts& facts, const IoWaits& io, Finding& finding) {
  if (io.HasReason()) {
    finding.evidence = {NsFact("blocked_ns", "blocked on I/O", Length(io.blocked))};
    finding.evidence_sql = UnionSql(fmt::format(
        "SELECT start_ns AS s, start_ns + duration_ns AS e FROM off_cpu WHERE thread_id = {} AND "
        "reason = 'io' AND start_ns < {} AND start_ns + duration_ns > {}",
        io.thread_id, facts.window().end_ns, facts.window().start_ns));
    return;
  }
  finding.evidence = {NsFact("read_ns", "disk reads took", io.read_ns),
                      CountFact("read_count", "reads", io.read_count),
                      NsFact("off_cpu_ns", "the thread was off its core", io.switch_ns),
                      CountFact("switch_count", "switches", io.switch_count),
                      CountFact("paired_count", "reads inside a switch", io.paired_count),
                      BytesFact("bytes", "read", io.read_bytes),
                      NsFact("mean_read_ns", "mean read", io.read_ns / io.read_count),
                      BytesFact("mean_read_bytes", "mean size", io.read_bytes / io.read_count)};
  finding.evidence_sql = ReadsSql(facts, io.thread_id);
  finding.row_ids = {RowId("host_event", io.longest_id)};
}

Finding MakeFinding(const TraceFacts& facts, const IoWaits& io, const Yardstick& yardstick) {
  Finding finding{.detector = "loader-io-bound",
                  .severity = rules::Bound(SeverityOfShare(yardstick.blocked_ns, yardstick.wall_ns),
                                           {.is_overlap_only = !io.HasReason(),
                                            .is_collector_missing = !yardstick.has_idle}),
                  .start_ns = facts.window().start_ns,
                  .end_ns = facts.window().end_ns,
                  .lost_ns = yardstick.blocked_ns};
  finding.title = fmt::format(
      "{} waited {} of {} for disk reads", facts.actors().DescribeThread(io.thread_id),
      FormatDuration(yardstick.blocked_ns),
      yardstick.has_idle ? fmt::format("{} of idle time", FormatDuration(yardstick.total_ns))
                         : FormatDuration(yardstick.total_ns));
  AddEvidence(facts, io, finding);
  finding.counter_test = rules::TextOf(
      {.expectation =
           "if the thread had stopped for another reason, switches and reads would differ",
       .observation = fmt::format("{} of {} switched-off time is inside reads",
                                  Percent(RatioOf(Length(io.blocked), io.switch_ns)),
                                  FormatDuration(io.switch_ns)),
       .outcome = rules::CounterTest::Outcome::kHeld});
  finding.basis = io.HasReason() ? "measured: reason of the switches"
                                 : "paired: each read lies inside one switch of the same thread";
  if (!yardstick.has_idle) {
    finding.basis += "; whether the GPU was idle meanwhile is not in the trace";
    finding.missing.emplace_back(kNeedsCalls);
  }
  if (!io.HasReason()) finding.missing.emplace_back(kNeedsScheduling);
  finding.fix =
      "larger sequential reads or shards, read-ahead, more requests in flight, a local "
      "copy or a warm page cache";
  return finding;
}

// Without a reason on switches or disk rows: what waits could explain at most.
Result<Detection> WithoutIoRows(const TraceFacts& facts, const IdlePicture& picture) {
  if (!picture.IsUsable()) return Detection(picture.Silence());
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<Phase> phases, PhasesOf(facts, picture));
  double most = 0;
  bool is_known = false;
  for (const Phase& phase : phases) {
    if (!phase.is_idle) continue;
    is_known = phase.feeder.is_known;
    if (!is_known) break;
    most = std::max(most, 1 - FeederCpuShare(phase));
    if (!phase.workers.empty()) most = std::max(most, 1 - WorkerCpuShare(phase));
  }
  if (is_known && most < kProducerRatio) {
    return NothingFound(fmt::format(
        "producers were off a core for at most {} of a phase, whatever the reason", Percent(most)));
  }
  return Abstain(fmt::format("needs disk rows or {}", kNeedsScheduling));
}

Result<Detection> Find(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<IoWaits> waits, FindIoWaits(facts));
  for (const IoWaits& io : waits) {
    const Yardstick yardstick = Measure(facts, picture, io);
    if (!IsCause(yardstick, io)) continue;
    return Detection(std::vector<Finding>{MakeFinding(facts, io, yardstick)});
  }
  GPUWHY_ASSIGN_OR_RETURN(const OwnIo own, CountOwnIo(facts));
  if (own.IsEverything()) return NothingFound(DescribeOwnIo(own));
  if (!waits.empty()) {
    const Yardstick yardstick = Measure(facts, picture, waits.front());
    return NothingFound(fmt::format("disk waits are {} of {}",
                                    Percent(RatioOf(yardstick.blocked_ns, yardstick.total_ns)),
                                    yardstick.has_idle ? "idle time" : "the window"));
  }
  return WithoutIoRows(facts, picture);
}

}  // namespace

Detector Define() {
  return {.name = "loader-io-bound",
          .question = "Did the threads that make batches wait for a disk while the GPU was idle?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::loader_io_bound
