// SPDX-License-Identifier: Apache-2.0
// Batches come late because the threads or processes that make them are busy all the time. Two ways
// to see it: scheduling rows say who was on a core during idle time; ranges say that the feeding
// thread was inside the data loader.
#include <fmt/format.h>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/idle_sql.h"
#include "tools/analysis/loader_ranges.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/analysis/scan.h"
#include "tools/analysis/worker_states.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::loader_cpu_bound {
namespace {

constexpr double kBusyProducerRatio = 0.8;
constexpr double kMinShare = 0.05;
// Workers that wait this long for a core gain nothing from further workers.
constexpr double kCrowdedRatio = 0.2;
constexpr double kFullCpuPct = 90;

using rules::CounterTest;

Finding Start(const TraceFacts& facts, const Phase& phase, const IdlePicture& picture) {
  // What the threads ran was not sampled, so that it was the loader is a conclusion.
  const bool has_stacks = facts.Has(Collector::kSample);
  Finding finding{.detector = "loader-cpu-bound",
                  .severity = rules::Bound(SeverityOfShare(phase.idle_ns, picture.wall_ns()),
                                           {.is_overlap_only = !phase.workers.empty(),
                                            .is_collector_missing = !has_stacks}),
                  .start_ns = phase.interval.start_ns,
                  .end_ns = phase.interval.end_ns,
                  .lost_ns = phase.idle_ns};
  if (!has_stacks) finding.missing.emplace_back(kNeedsStacks);
  return finding;
}

std::string Range(const TraceFacts& facts, const Phase& phase) {
  return fmt::format("{}..{}", Instant(facts, phase.interval.start_ns),
                     Instant(facts, phase.interval.end_ns));
}

void AddCpu(const CpuLoad& cpu, Finding& finding) {
  if (cpu.sample_count == 0) return;
  finding.evidence.push_back(
      TextFact("cpu", "CPU load",
               fmt::format("{}-{} %", FormatNumber(cpu.min_pct, 0), FormatNumber(cpu.max_pct, 0))));
}

Finding FeederFinding(const TraceFacts& facts, const Phase& phase, const IdlePicture& picture) {
  Finding finding = Start(facts, phase, picture);
  const std::string thread = facts.actors().DescribeThread(picture.feeder_thread_id);
  finding.title = fmt::format(
      "One CPU-bound thread fed the GPU: {} was on a core {} of {} while the GPU waited {} ({})",
      thread, Percent(FeederCpuShare(phase)), FormatDuration(phase.interval.duration_ns()),
      FormatDuration(phase.idle_ns), Range(facts, phase));
  finding.evidence = {NsFact("off_cpu_ns", "off a core", phase.feeder.total_ns),
                      CountFact("switch_count", "switches", phase.feeder.wait_count),
                      NsFact("longest_wait_ns", "longest wait", phase.feeder.longest_ns)};
  AddCpu(phase.cpu, finding);
  finding.evidence_sql = OffCpuSql(picture.feeder_thread_id, phase.interval);
  if (phase.feeder.longest_id != 0) {
    finding.row_ids.push_back(RowId("off_cpu", phase.feeder.longest_id));
  }
  finding.counter_test = rules::TextOf(
      {.expectation = "if it had been pre-empted or blocked, it would have been off its core",
       .observation =
           fmt::format("off {} of the phase",
                       Percent(RatioOf(phase.feeder.total_ns, phase.interval.duration_ns()))),
       .outcome = CounterTest::Outcome::kHeld});
  finding.basis =
      "measured: scheduling rows of the thread that makes the next CUDA call; what it ran was not "
      "sampled";
  finding.fix =
      "fetch whole batches (index with a tensor) in place of samples; keep the data on the "
      "GPU if it fits; or use workers when cores are free";
  return finding;
}

struct WorkerSum {
  int64_t wait_count = 0;
  int64_t off_cpu_ns = 0;
  int64_t life_ns = 0;
  std::vector<int64_t> pids;
};

WorkerSum SumOf(const std::vector<Worker>& workers) {
  WorkerSum sum;
  for (const Worker& worker : workers) {
    sum.wait_count += worker.wait_count;
    sum.off_cpu_ns += worker.off_cpu_ns;
    sum.life_ns += worker.life.duration_ns();
    sum.pids.push_back(worker.pid);
  }
  return sum;
}

Finding WorkerFinding(const TraceFacts& facts, const Phase& phase, const IdlePicture& picture) {
  Finding finding = Start(facts, phase, picture);
  const WorkerSum sum = SumOf(phase.workers);
  const int64_t cpu_count = facts.actors().CpuCount();
  finding.title =
      fmt::format("{} workers kept {} busy and the GPU waited {} ({}){}", phase.workers.size(),
                  cpu_count > 0 ? fmt::format("{} cores", cpu_count) : "the cores",
                  FormatDuration(phase.idle_ns), Range(facts, phase),
                  phase.call_count == 0 ? ": no batch reached it" : "");
  finding.evidence = {
      CountFact("switch_count", "switches of workers", sum.wait_count),
      NsFact("off_cpu_ns", "their time off a core", sum.off_cpu_ns),
      NsFact("mean_wait_ns", "mean", sum.wait_count == 0 ? 0 : sum.off_cpu_ns / sum.wait_count),
      PctFact("worker_cpu_pct", "on a core or ready", WorkerCpuShare(phase)),
      TextFact("workers", "pids", IdList(sum.pids))};
  AddCpu(phase.cpu, finding);
  finding.evidence_sql = WorkersSql(phase.workers);
  for (const Worker& worker : phase.workers)
    finding.row_ids.push_back(RowId("process", worker.process_id));
  finding.counter_test = rules::TextOf(
      {.expectation = "if workers had waited for a disk or a lock, they would have been off a core",
       .observation =
           fmt::format("off {} of their {}", Percent(RatioOf(sum.off_cpu_ns, sum.life_ns)),
                       FormatDuration(sum.life_ns)),
       .outcome = CounterTest::Outcome::kHeld});
  finding.basis =
      "exact roll-ups of the workers' switches; that they delayed the GPU is overlap in time (no "
      "wake-ups recorded)";
  finding.missing.emplace_back(kNeedsScheduling);
  finding.fix =
      "fewer workers than cores, kept alive (persistent_workers), each fetching whole batches";
  return finding;
}

Result<std::vector<Finding>> FromScheduling(const TraceFacts& facts, const IdlePicture& picture) {
  std::vector<Finding> findings;
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<Phase> phases, PhasesOf(facts, picture));
  for (const Phase& phase : phases) {
    if (!phase.is_idle || RatioOf(phase.idle_ns, picture.wall_ns()) < kMinShare) continue;
    if (!phase.workers.empty() && WorkerCpuShare(phase) >= kBusyProducerRatio) {
      findings.push_back(WorkerFinding(facts, phase, picture));
    } else if (phase.workers.empty() && FeederCpuShare(phase) >= kBusyProducerRatio) {
      findings.push_back(FeederFinding(facts, phase, picture));
    }
  }
  return findings;
}

// What is known of the data loader and of those who make its batches.
struct Loader {
  LoaderTime time;
  WorkerStates workers;
  CpuLoad cpu;

  // The counter-test: that those who make batches wanted a core, or, where that was not recorded,
  // that the device was idle for want of batches.
  bool Holds(int64_t device_count) const {
    return workers.is_known ? workers.busy_ns() * 2 >= workers.life_ns
                            : time.idle_ns * 2 >= time.range_ns * device_count;
  }
};

// Batches are made on the feeding thread: whatever children there are, they make none.
bool IsSingleProcess(const LoaderTime& time) {
  return time.name.find("SingleProcess") != std::string::npos;
}

std::string FixOf(const Loader& loader) {
  if (IsSingleProcess(loader.time)) {
    return "batches are made on the feeding thread: set num_workers, then prefetch_factor and "
           "persistent_workers";
  }
  const bool is_ready_without_core =
      loader.workers.is_known &&
      RatioOf(loader.workers.ready_ns, loader.workers.life_ns) >= kCrowdedRatio;
  if (is_ready_without_core || loader.cpu.mean_pct >= kFullCpuPct) {
    return "no core is free for more workers: make batches cheaper (decode on the GPU, cache "
           "converted samples, a faster codec) or give the job more cores";
  }
  return "raise num_workers and prefetch_factor while cores are idle, else make batches cheaper "
         "(decode on the GPU, cache converted samples)";
}

void AddWorkers(const WorkerStates& workers, Finding& finding) {
  if (!workers.is_known) return;
  const int64_t on_core_ns = workers.life_ns - workers.off_core_ns;
  finding.evidence.push_back(
      TextFact("workers", "workers",
               fmt::format("{}: on a core {}, ready without one {}, at a disk {}, else waiting {}",
                           workers.worker_count, Percent(RatioOf(on_core_ns, workers.life_ns)),
                           Percent(RatioOf(workers.ready_ns, workers.life_ns)),
                           Percent(RatioOf(workers.disk_ns, workers.life_ns)),
                           Percent(RatioOf(workers.off_core_ns - workers.ready_ns - workers.disk_ns,
                                           workers.life_ns)))));
  if (workers.top_function.empty()) return;
  finding.evidence.push_back(
      TextFact("hot_code", "they ran",
               fmt::format("{} in {} of their CPU samples", workers.top_function,
                           Percent(workers.top_function_ratio))));
}

void AddRangeTest(const Loader& loader, const IdlePicture& picture, Finding& finding) {
  const auto outcome = loader.Holds(picture.device_count) ? CounterTest::Outcome::kHeld
                                                          : CounterTest::Outcome::kFailed;
  if (loader.workers.is_known) {
    finding.counter_test = rules::TextOf(
        {.expectation = "if workers had waited for a disk or a lock, they would not want a core",
         .observation =
             fmt::format("they wanted one for {} of their time",
                         Percent(RatioOf(loader.workers.busy_ns(), loader.workers.life_ns))),
         .outcome = outcome});
    return;
  }
  finding.counter_test = rules::TextOf(
      {.expectation =
           "if batches were ready in time, the device would be busy during loader ranges",
       .observation = fmt::format("idle for {} of them",
                                  Percent(RatioOf(loader.time.idle_ns, loader.time.range_ns))),
       .outcome = outcome});
}

Finding RangeFinding(const TraceFacts& facts, const Loader& loader, const IdlePicture& picture) {
  const bool has_scheduling = facts.Has(Collector::kOffCpu);
  const LoaderTime& time = loader.time;
  Finding finding{
      .detector = "loader-cpu-bound",
      .severity = rules::Bound(SeverityOfShare(time.idle_ns, picture.span_ns),
                               {.is_collector_missing = !has_scheduling,
                                .has_counter_test = loader.Holds(picture.device_count)}),
      .start_ns = picture.span.start_ns,
      .end_ns = picture.span.end_ns,
      .lost_ns = time.idle_ns / picture.device_count};
  finding.title =
      fmt::format("The GPU waited {} for the data loader on {} ({} of the time)",
                  FormatDuration(finding.lost_ns), facts.actors().DescribeThread(time.thread_id),
                  Percent(RatioOf(time.idle_ns, picture.span_ns)));
  finding.evidence = {
      NsFact("loader_ns",
             time.is_hand_over ? "time until a worker woke it" : "time in loader ranges",
             time.range_ns),
      CountFact("range_count", time.is_hand_over ? "waits" : "ranges", time.range_count),
      NsFact("idle_in_loader_ns", "device idle meanwhile", time.idle_ns)};
  if (!time.is_hand_over) {
    finding.evidence.push_back(TextFact("range", "name", CleanText(time.name, 80)));
  }
  AddWorkers(loader.workers, finding);
  AddCpu(loader.cpu, finding);
  finding.evidence_sql = time.sql;
  if (time.longest_id != 0) finding.row_ids.push_back(RowId("range", time.longest_id));
  AddRangeTest(loader, picture, finding);
  finding.basis =
      time.is_hand_over ? "measured: waits of the feeding thread, ended by a worker's wake-up"
      : has_scheduling
          ? "idle ledger: ranges of the thread whose turn it was"
          : "idle ledger: ranges of the thread whose turn it was; whether it computed or "
            "waited for a disk was not recorded";
  if (!has_scheduling) finding.missing.emplace_back(kNeedsScheduling);
  finding.fix = FixOf(loader);
  return finding;
}

Result<Detection> FromRanges(const TraceFacts& facts, const LoaderTime& time,
                             const IdlePicture& picture) {
  Loader loader{.time = time};
  if (!IsSingleProcess(time)) {
    GPUWHY_ASSIGN_OR_RETURN(loader.workers, WorkerStatesIn(facts, picture.feeder_process_id,
                                                           picture.span, time.worker_ids));
  }
  GPUWHY_ASSIGN_OR_RETURN(loader.cpu, CpuLoadIn(facts, picture.span));
  const WorkerStates& workers = loader.workers;
  if (workers.is_known && workers.disk_ns > workers.busy_ns()) {
    return NothingFound(fmt::format(
        "the GPU waited {} for the data loader, whose workers were at a disk for {} of their time",
        FormatDuration(time.idle_ns), Percent(RatioOf(workers.disk_ns, workers.life_ns))));
  }
  return Detection(std::vector<Finding>{RangeFinding(facts, loader, picture)});
}

Result<Detection> Find(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  if (!picture.IsUsable()) return Detection(picture.Silence());
  if (rules::IsBusyEnough(picture.busy_ns, picture.span_ns)) {
    return NothingFound("the GPU was busy, so nobody waited for batches");
  }
  GPUWHY_ASSIGN_OR_RETURN(const LoaderTime loader, LoaderTimeOf(facts, picture));
  if (loader.is_known && RatioOf(loader.idle_ns, picture.span_ns) >= kMinShare) {
    return FromRanges(facts, loader, picture);
  }
  if (picture.view == View::kApi) {
    GPUWHY_ASSIGN_OR_RETURN(std::vector<Finding> findings, FromScheduling(facts, picture));
    if (!findings.empty()) return Detection(std::move(findings));
  }
  if (loader.is_known) {
    return NothingFound(
        fmt::format("the GPU waited {} in loader ranges", FormatDuration(loader.idle_ns)));
  }
  if (!facts.Has(Collector::kOffCpu) && !facts.Has(Collector::kRange)) {
    return Abstain(fmt::format("needs {}", kNeedsScheduling));
  }
  return NothingFound("no range names a data loader and no producer was busy through the gaps");
}

}  // namespace

Detector Define() {
  return {.name = "loader-cpu-bound",
          .question = "Did batches come late because the code that makes them needs the CPU?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::loader_cpu_bound
