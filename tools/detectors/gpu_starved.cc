// SPDX-License-Identifier: Apache-2.0
// The umbrella: how much time the device (or, without device rows, the CUDA API) had nothing to do,
// since when, and whose turn it was. What to fix is told by the other detectors.
#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/idle_sql.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/analysis/sleep_loops.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::gpu_starved {
namespace {

constexpr double kHighIdleRatio = 0.3;
constexpr double kMediumIdleRatio = 0.1;
constexpr double kChosenRatio = 0.5;  // idle time spent asleep: nobody asked for work
constexpr size_t kListedGaps = 10;
constexpr size_t kListedClasses = 4;

std::string ListGaps(const TraceFacts& facts, std::vector<Gap> gaps) {
  std::string text;
  if (gaps.size() > kListedGaps) {
    std::partial_sort(gaps.begin(), gaps.begin() + kListedGaps, gaps.end(),
                      [](const Gap& a, const Gap& b) { return a.duration_ns() > b.duration_ns(); });
    gaps.resize(kListedGaps);
    text = "longest ";
  }
  for (const Gap& gap : gaps) {
    text += fmt::format("{}{} at {}", text.empty() || text.ends_with("longest ") ? "" : ", ",
                        FormatDuration(gap.duration_ns()), Instant(facts, gap.start_ns));
  }
  return text;
}

// "Python or framework code 41 %, launch latency 9 %": where idle time went, by the ledger.
std::string SplitText(const TraceFacts::Totals& totals) {
  std::vector<std::pair<int64_t, IdleClass>> parts;
  for (const IdleClassInfo& info : AllIdleClasses()) {
    const int64_t time_ns = totals.class_ns[static_cast<size_t>(info.idle_class)];
    if (time_ns > 0) parts.emplace_back(time_ns, info.idle_class);
  }
  std::sort(parts.rbegin(), parts.rend());
  parts.resize(std::min(parts.size(), kListedClasses));
  std::string text;
  for (const auto& [time_ns, idle_class] : parts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", InfoOf(idle_class).label,
                        Percent(RatioOf(time_ns, totals.idle_ns)));
  }
  return text;
}

Severity SeverityOf(const IdlePicture& picture) {
  const double idle_ratio = picture.SteadyIdleRatio();
  if (idle_ratio >= kHighIdleRatio) return Severity::kHigh;
  return idle_ratio >= kMediumIdleRatio ? Severity::kMedium : Severity::kInfo;
}

// A device that had been given work before a gap would make the next synchronisation wait.
Result<rules::CounterTest> TestApiView(const TraceFacts& facts, const IdlePicture& picture) {
  rules::CounterTest test{
      .expectation =
          "if the device had worked through the gaps, the first sync after each would wait",
      .observation = "no sync follows a gap"};
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  int64_t sync_count = 0;
  int64_t longest_ns = 0;
  for (const Gap& gap : picture.gaps) {
    if (gap.is_last || gap.next_row < 0) continue;
    const HostCall& next = (*calls)[static_cast<size_t>(gap.next_row)];
    if (next.kind != CallKind::kSync) continue;
    ++sync_count;
    longest_ns = std::max(longest_ns, next.end_ns - next.start_ns);
  }
  if (sync_count == 0) return test;
  test.observation = fmt::format("{} of {} gaps end with one, the longest took {}", sync_count,
                                 picture.gaps.size(), FormatDuration(longest_ns));
  const bool is_short = longest_ns * 100 < picture.lost_ns();
  test.outcome =
      is_short ? rules::CounterTest::Outcome::kHeld : rules::CounterTest::Outcome::kFailed;
  return test;
}

rules::CounterTest TestDeviceView(const IdlePicture& picture) {
  return {.expectation = "a fed device is busy for 85 % or more",
          .observation =
              fmt::format("busy {} of {}", Percent(RatioOf(picture.busy_ns, picture.span_ns)),
                          FormatDuration(picture.wall_ns())),
          .outcome = rules::CounterTest::Outcome::kHeld};
}

Result<rules::CounterTest> TestOf(const TraceFacts& facts, const IdlePicture& picture) {
  if (picture.view == View::kApi) return TestApiView(facts, picture);
  return TestDeviceView(picture);
}

Status AddEvidence(const TraceFacts& facts, const IdlePicture& picture, Finding& finding) {
  const bool is_api = picture.view == View::kApi;
  finding.evidence = {
      NsFact("idle_ns", is_api ? "no CUDA call in flight" : "device idle", picture.idle_ns),
      PctFact("idle_pct", "share", RatioOf(picture.idle_ns, picture.span_ns)),
      CountFact("gap_count", is_api ? "gaps of 100 ms or more" : "gaps of 1 ms or more",
                static_cast<int64_t>(picture.gaps.size()))};
  if (picture.start_up_ns > 0) {
    finding.evidence.push_back(
        NsFact("start_up_ns", "of it in slow first calls", picture.start_up_ns));
  }
  finding.evidence.push_back(TextFact("gaps", "gaps", ListGaps(facts, picture.gaps)));
  if (picture.feeder_thread_id != 0) {
    finding.evidence.push_back(TextFact("feeding_thread", "feeding thread",
                                        facts.actors().DescribeThread(picture.feeder_thread_id)));
  }
  if (!is_api) {
    GPUWHY_ASSIGN_OR_RETURN(const TraceFacts::Totals totals, facts.Sum());
    finding.evidence.push_back(TextFact("cause_split", "host during idle time", SplitText(totals)));
    return {};
  }
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<Phase> phases, PhasesOf(facts, picture));
  for (const Phase& phase : phases) {
    finding.evidence.push_back(
        TextFact(fmt::format("phase_{}", static_cast<char>(phase.letter + 32)),
                 fmt::format("phase {}", phase.letter), DescribePhase(facts, picture, phase)));
  }
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<LongWait> waits,
                          TimeoutShapedWaits(facts, picture.feeder_process_id));
  for (const LongWait& wait : waits) {
    finding.evidence.push_back(TextFact("voluntary_wait", "ruled out",
                                        fmt::format("{} longest wait {} has the shape of a queue "
                                                    "time-out: voluntary",
                                                    facts.actors().DescribeThread(wait.thread_id),
                                                    FormatDuration(wait.duration_ns))));
  }
  return {};
}

std::string Basis(const IdlePicture& picture) {
  if (picture.view == View::kDevice) {
    return "measured: union of device operations over all streams and processes";
  }
  if (picture.view == View::kQueue) {
    return "proven by calls: from the return of a wait that found nothing queued until the next "
           "launch or copy";
  }
  std::string text = "CUDA API view (no device rows): time between calls, gaps of 100 ms or more";
  if (picture.counted_call_count > picture.stored_call_count) {
    text +=
        fmt::format("; {} of {} calls are rows, the others took {} in all",
                    FormatCount(picture.stored_call_count), FormatCount(picture.counted_call_count),
                    FormatDuration(picture.unstored_call_ns));
  }
  return text;
}

// The rows that end the longest gaps.
Status AddRowIds(const TraceFacts& facts, const IdlePicture& picture, Finding& finding) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<DeviceOp>* ops, facts.DeviceOps());
  for (const Gap& gap : picture.gaps) {
    if (finding.row_ids.size() >= kListedGaps) break;
    if (gap.next_row < 0) continue;
    const auto row = static_cast<size_t>(gap.next_row);
    finding.row_ids.push_back(picture.view == View::kDevice ? RowId("gpu_op", (*ops)[row].id)
                                                            : RowId("api_call", (*calls)[row].id));
  }
  return {};
}

Result<Finding> MakeFinding(const TraceFacts& facts, const IdlePicture& picture) {
  const bool is_api = picture.view == View::kApi;
  GPUWHY_ASSIGN_OR_RETURN(const rules::CounterTest test, TestOf(facts, picture));
  Finding finding{.detector = "gpu-starved",
                  .severity = rules::Bound(
                      SeverityOf(picture),
                      {.has_counter_test = test.outcome == rules::CounterTest::Outcome::kHeld}),
                  .start_ns = picture.span.start_ns,
                  .end_ns = picture.span.end_ns,
                  .lost_ns = picture.lost_ns()};
  finding.title = fmt::format(
      "{} for {} of {} ({} of {})", is_api ? "No CUDA call was in flight" : "The GPU had no work",
      Percent(RatioOf(picture.idle_ns, picture.span_ns)), is_api ? "the trace" : "the time",
      FormatDuration(picture.lost_ns()), FormatDuration(picture.wall_ns()));
  if (picture.device_count > 1) {
    finding.title += fmt::format(", mean of {} devices", picture.device_count);
  }
  GPUWHY_RETURN_IF_ERROR(AddEvidence(facts, picture, finding));
  finding.evidence_sql = IdleSql(facts, picture);
  GPUWHY_RETURN_IF_ERROR(AddRowIds(facts, picture, finding));
  finding.counter_test = rules::TextOf(test);
  finding.fix = "follow the findings below: they say what the host did meanwhile";
  finding.basis = Basis(picture);
  if (picture.view != View::kDevice) finding.missing.emplace_back(kNeedsDevice);
  if (!facts.Has(Collector::kOffCpu)) finding.missing.emplace_back(kNeedsScheduling);
  return finding;
}

// Idle by choice: whoever feeds the device sleeps, so nothing was asked of it.
Result<std::string> ChosenIdle(const TraceFacts& facts, const IdlePicture& picture) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<ThreadSleep> sleeps, SleepLoopsOf(facts));
  for (const ThreadSleep& sleep : sleeps) {
    const bool is_most = RatioOf(sleep.loop.total_ns, facts.window().duration_ns()) >= kChosenRatio;
    const ProcessInfo* process = facts.actors().ProcessOfThread(sleep.thread_id);
    const bool feeds = picture.feeder_process_id == 0 ||
                       (process != nullptr && process->id == picture.feeder_process_id);
    if (is_most && feeds) return DescribeSleep(facts, sleep);
  }
  return std::string();
}

Result<Detection> Find(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  GPUWHY_ASSIGN_OR_RETURN(const std::string chosen, ChosenIdle(facts, picture));
  if (!chosen.empty()) return NothingFound(chosen);
  if (!picture.IsUsable()) return Detection(picture.Silence());
  const double idle_ratio = picture.SteadyIdleRatio();
  if (idle_ratio < kMediumIdleRatio || rules::IsBusyEnough(picture.busy_ns, picture.span_ns)) {
    std::string reason =
        fmt::format("idle {} of {}{}", Percent(idle_ratio), FormatDuration(picture.wall_ns()),
                    picture.start_up_ns > 0 ? " without start-up" : "");
    if (rules::IsMostlyCollective(picture.collective_ns, picture.busy_ns)) {
      reason += "; much of the busy time is collectives, which spin while they wait";
    }
    return NothingFound(reason);
  }
  GPUWHY_ASSIGN_OR_RETURN(Finding finding, MakeFinding(facts, picture));
  return Detection(std::vector<Finding>{std::move(finding)});
}

}  // namespace

Detector Define() {
  return {.name = "gpu-starved",
          .question = "Did the GPU have nothing to do for a large part of the time?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::gpu_starved
