// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/foreign_verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/calls_of_name.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_picture.h"
#include "tools/analysis/io_waits.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/analysis/sleep_loops.h"

namespace gpuwhy {
namespace {

constexpr double kNegligibleRatio = 0.01;
constexpr double kStartUpRatio = 0.8;  // of the time above the median

// What is the same for all conclusions of one trace.
struct Context {
  const TraceFacts& facts;
  const Findings& ours;
  int64_t first_idle_ns = INT64_MAX;  // start of the first long gap
  std::vector<ThreadSleep> sleeps;
  OwnIo own_io;
};

void Conclude(ForeignVerdict& theirs, Verdict verdict, std::string reason) {
  theirs.verdict = verdict;
  theirs.reason = std::move(reason);
}

bool BySize(const CallsOfName& calls, ForeignVerdict& theirs) {
  const rules::SizeFit& fit = calls.copy_fit;
  if (!fit.EndsTailFinding()) return false;
  Conclude(theirs, Verdict::kExplainedBySize,
           fmt::format("r = {:.4f} of bytes and duration over {} {} copies, {:.1f} GB/s", fit.r,
                       FormatCount(fit.sample_count), calls.copy_kind, fit.bytes_per_s / 1e9));
  return true;
}

// Remarks on the causes it names, for conclusions whose calls are gone. Short: they share a cell.
std::string Remarks(const Context& context, const ForeignVerdict& theirs) {
  std::string text;
  if (theirs.cause.find("sched_switch") != std::string::npos && !context.sleeps.empty()) {
    const rules::SleepLoop& loop = context.sleeps.front().loop;
    text += fmt::format("; switches: sleep loop of {} x {}", FormatCount(loop.wait_count),
                        FormatDuration(loop.typical_ns));
  }
  if (theirs.cause.find("I/O") != std::string::npos && context.own_io.IsEverything()) {
    text +=
        fmt::format("; I/O: recorder {}, journal {}", FormatCount(context.own_io.recorder_count),
                    FormatCount(context.own_io.journal_count));
  }
  return text;
}

bool ByMissingRows(const Context& context, const CallsOfName& calls, ForeignVerdict& theirs) {
  if (calls.stored_count == 0) {
    Conclude(theirs, Verdict::kNotDerivable,
             "no call of it is in the file" + Remarks(context, theirs));
    return true;
  }
  if (theirs.p99_ns == 0 || calls.slowest_ns >= theirs.p99_ns) return false;
  Conclude(theirs, Verdict::kNotDerivable,
           fmt::format("slowest of {} rows {}{}", FormatCount(calls.stored_count),
                       FormatDuration(calls.slowest_ns), Remarks(context, theirs)));
  return true;
}

bool ByTeardown(const Context& context, const CallsOfName& calls, ForeignVerdict& theirs) {
  if (calls.first_ns <= calls.last_launch_ns || calls.last_launch_ns == 0) return false;
  Conclude(
      theirs, Verdict::kTeardown,
      fmt::format("all {} calls at {}..{}, after the last launch", FormatCount(calls.stored_count),
                  Instant(context.facts, calls.first_ns), Instant(context.facts, calls.last_ns)));
  return true;
}

bool BeforeIdle(const Context& context, const CallsOfName& calls, ForeignVerdict& theirs) {
  const bool is_before_idle =
      context.first_idle_ns != INT64_MAX && calls.last_slow_ns < context.first_idle_ns;
  if (!is_before_idle || calls.last_slow_ns >= calls.cold_until_ns) return false;
  Conclude(
      theirs, Verdict::kStartUp,
      fmt::format("{} at {}, before the idle time that begins at {}",
                  FormatDuration(calls.slowest_ns), Instant(context.facts, calls.slowest_start_ns),
                  Instant(context.facts, context.first_idle_ns)));
  return true;
}

bool ByStartUp(const Context& context, const CallsOfName& calls, ForeignVerdict& theirs) {
  const double ratio = RatioOf(calls.cold_excess_ns, calls.excess_ns);
  if (ratio < kStartUpRatio) return false;
  Conclude(
      theirs, Verdict::kStartUp,
      fmt::format("{} of the time above the median before {}, slowest {} at {}", Percent(ratio),
                  Instant(context.facts, calls.cold_until_ns), FormatDuration(calls.slowest_ns),
                  Instant(context.facts, calls.slowest_start_ns)));
  return true;
}

bool BySmallness(const Context& context, const CallsOfName& calls, ForeignVerdict& theirs) {
  const int64_t window_ns = context.facts.window().duration_ns();
  const double ratio = RatioOf(calls.total_ns, window_ns);
  if (ratio >= kNegligibleRatio) return false;
  Conclude(
      theirs, Verdict::kNegligible,
      fmt::format("all {} calls together took {} ({:.2f} % of the trace)",
                  FormatCount(calls.counted_count), FormatDuration(calls.total_ns), ratio * 100));
  return true;
}

bool ByCause(const Context& context, ForeignVerdict& theirs) {
  const bool speaks_of_io = theirs.cause.find("I/O") != std::string::npos;
  const bool speaks_of_switches = theirs.cause.find("sched_switch") != std::string::npos;
  if (speaks_of_io && context.own_io.IsEverything()) {
    Conclude(theirs, Verdict::kOwnFootprint, DescribeOwnIo(context.own_io));
    return true;
  }
  if (!speaks_of_switches || context.sleeps.empty()) return false;
  Conclude(theirs, Verdict::kVoluntaryWait, DescribeSleep(context.facts, context.sleeps.front()));
  return true;
}

void ByOurFindings(const Context& context, ForeignVerdict& theirs) {
  const std::string_view wanted =
      theirs.cause.find("I/O") != std::string::npos ? "loader-io-bound" : "cpu-contention";
  for (const NamedFinding& named : context.ours.found) {
    if (named.finding.detector != wanted || named.finding.severity == Severity::kInfo) continue;
    Conclude(theirs, Verdict::kSupported, "see " + named.id);
    return;
  }
  Conclude(theirs, Verdict::kNotConfirmed, "no row ties the cause it names to the slow calls");
}

Status Judge(const Context& context, ForeignVerdict& theirs) {
  GPUWHY_ASSIGN_OR_RETURN(const CallsOfName calls,
                          FindCallsOfName(context.facts, theirs.operation, theirs.p99_ns));
  if (calls.slowest_id != 0) theirs.row_ids = {RowId("api_call", calls.slowest_id)};
  const bool is_judged = BySize(calls, theirs) || ByMissingRows(context, calls, theirs) ||
                         ByTeardown(context, calls, theirs) || BeforeIdle(context, calls, theirs) ||
                         BySmallness(context, calls, theirs) || ByStartUp(context, calls, theirs) ||
                         ByCause(context, theirs);
  if (!is_judged) ByOurFindings(context, theirs);
  return {};
}

Result<std::vector<ForeignVerdict>> LoadGroups(const TraceFacts& facts) {
  std::vector<ForeignVerdict> groups;
  const Window& window = facts.window();
  const bool is_whole = window.IsWholeTrace();
  // Conclusions are drawn some time after what they speak of, also after the last event. The bare
  // columns are those of the row with the largest time_ns.
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT tool, coalesce(operation, ''), severity, count(*), coalesce(max(p50_ns), 0), "
      "coalesce(max(p99_ns), 0), coalesce(max(tail_ratio), 0), coalesce((SELECT cause FROM "
      "foreign_finding l WHERE l.tool = f.tool AND l.operation IS f.operation AND l.severity = "
      "f.severity ORDER BY time_ns DESC LIMIT 1), '') FROM foreign_finding f WHERE ?1 OR time_ns "
      "IS NULL OR time_ns BETWEEN ?2 AND ?3 GROUP BY tool, operation, severity ORDER BY severity = "
      "'HIGH' DESC, severity, 4 DESC, 2",
      {int64_t{is_whole}, window.start_ns, window.end_ns}, [&](const Row& row) {
        groups.push_back({.tool = std::string(row.Text(0)),
                          .operation = std::string(row.Text(1)),
                          .severity = std::string(row.Text(2)),
                          .cause = std::string(row.Text(7)),
                          .finding_count = row.Int(3),
                          .p50_ns = row.Int(4),
                          .p99_ns = row.Int(5),
                          .tail_ratio = row.Real(6)});
      }));
  return groups;
}

}  // namespace

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kExplainedBySize:
      return "explained by size";
    case Verdict::kStartUp:
      return "demoted: start-up effect";
    case Verdict::kTeardown:
      return "demoted: teardown";
    case Verdict::kNotDerivable:
      return "not re-derivable";
    case Verdict::kNegligible:
      return "negligible";
    case Verdict::kVoluntaryWait:
      return "voluntary wait";
    case Verdict::kOwnFootprint:
      return "recorder's own I/O";
    case Verdict::kSupported:
      return "supported";
    case Verdict::kNotConfirmed:
      return "not confirmed";
  }
  return "";
}

Result<std::vector<ForeignVerdict>> JudgeForeign(const TraceFacts& facts, const Findings& ours) {
  GPUWHY_ASSIGN_OR_RETURN(std::vector<ForeignVerdict> groups, LoadGroups(facts));
  if (groups.empty()) return groups;
  Context context{.facts = facts, .ours = ours};
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  if (picture.IsUsable() && !picture.gaps.empty()) {
    context.first_idle_ns = picture.gaps.front().start_ns;
  }
  GPUWHY_ASSIGN_OR_RETURN(context.sleeps, SleepLoopsOf(facts));
  GPUWHY_ASSIGN_OR_RETURN(context.own_io, CountOwnIo(facts));
  for (ForeignVerdict& theirs : groups)
    GPUWHY_RETURN_IF_ERROR(Judge(context, theirs));
  return groups;
}

}  // namespace gpuwhy
