// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/activity_split.h"
#include "tools/analysis/load_facts.h"
#include "tools/analysis/median.h"
#include "tools/analysis/ranks.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_rank_comparison {
namespace {

constexpr int64_t kDefaultRanks = 16;
constexpr int64_t kMaxRanks = 4096;
// A rank is a straggler when it is last in most collectives and costs the others this much.
constexpr double kLastShare = 0.5;
constexpr double kCausedShare = 0.02;

double Share(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// One rank with all that is compared.
struct Compared {
  const RankWork* work;
  ActivitySplit split;
  RankSkew skew;
};

struct Comparison {
  std::vector<RankWork> works;
  CollectiveFacts collectives;
  std::vector<Compared> ranks;

  int64_t collective_count() const { return static_cast<int64_t>(collectives.collectives.size()); }
};

Result<Comparison> Compare(const TraceFacts& facts) {
  Comparison comparison;
  GPUWHY_ASSIGN_OR_RETURN(comparison.works, RanksOf(facts));
  GPUWHY_RETURN_IF_ERROR(facts.CheckStop());
  comparison.collectives = CompareCollectives(comparison.works);
  for (size_t i = 0; i < comparison.works.size(); ++i) {
    const RankWork& work = comparison.works[i];
    comparison.ranks.push_back(
        {.work = &work,
         .split = SplitActivity(work.ops, {facts.window().start_ns, facts.window().end_ns}),
         .skew = comparison.collectives.ranks[i]});
  }
  return comparison;
}

bool IsCostly(const Compared& rank) {
  return static_cast<double>(rank.skew.caused_ns) >=
         kCausedShare * static_cast<double>(rank.split.span_ns);
}

// The rank that is last in most collectives, if that costs the others enough.
const Compared* Straggler(const Comparison& comparison) {
  for (const Compared& rank : comparison.ranks) {
    const auto last = static_cast<double>(rank.skew.last_count);
    const bool is_last = last > kLastShare * static_cast<double>(comparison.collective_count());
    if (is_last && IsCostly(rank)) return &rank;
  }
  return nullptr;
}

// What its device did more of than the others' median: late for want of work, or for too much.
std::string WhyLate(const Comparison& comparison, const Compared& late) {
  std::vector<int64_t> idle, compute;
  for (const Compared& rank : comparison.ranks) {
    if (&rank == &late) continue;
    idle.push_back(rank.split.idle_ns());
    compute.push_back(rank.split.of(KernelClass::kCompute));
  }
  const int64_t more_idle_ns = late.split.idle_ns() - MedianOf(idle);
  const int64_t more_compute_ns = late.split.of(KernelClass::kCompute) - MedianOf(compute);
  if (std::max(more_idle_ns, more_compute_ns) <= 0)
    return "its device was neither idle nor computing for longer than the others'";
  if (more_idle_ns >= more_compute_ns) {
    return fmt::format(
        "its device had no work for {} more than the others' median: look at its host with "
        "get_gpu_idle_causes process={}",
        FormatDuration(more_idle_ns), late.work->pid);
  }
  return fmt::format(
      "it computed {} longer than the others' median: get_kernel_breakdown process={}",
      FormatDuration(more_compute_ns), late.work->pid);
}

// Several ranks may be late in turn, and together cost as much as one.
std::string NoStraggler(const Comparison& comparison) {
  std::vector<const Compared*> costly;
  for (const Compared& rank : comparison.ranks) {
    if (IsCostly(rank)) costly.push_back(&rank);
  }
  std::sort(costly.begin(), costly.end(), [](const Compared* a, const Compared* b) {
    return a->skew.caused_ns > b->skew.caused_ns;
  });
  if (costly.empty()) return "no rank keeps the others waiting for 2 % or more of its time.";
  std::string text = "no rank is last in most of them, but these in turn:";
  for (size_t i = 0; i < std::min<size_t>(costly.size(), 3); ++i) {
    const double last_pct = Share(costly[i]->skew.last_count, comparison.collective_count());
    text += fmt::format("{} {} (last in {} %, the first waited {})", i == 0 ? "" : ",",
                        costly[i]->work->label, FormatNumber(last_pct, 1),
                        FormatDuration(costly[i]->skew.caused_ns));
  }
  return text + fmt::format("; {}: {}.", costly.front()->work->label,
                            WhyLate(comparison, *costly.front()));
}

std::string Headline(const Comparison& comparison) {
  const auto rank_count = static_cast<int64_t>(comparison.ranks.size());
  if (comparison.collective_count() == 0) {
    return fmt::format(
        "{} ranks; no collective of all of them was found, so they are not held "
        "against each other in time.",
        FormatCount(rank_count));
  }
  const std::string ranks = fmt::format("{} ranks, {} collectives", FormatCount(rank_count),
                                        FormatCount(comparison.collective_count()));
  const Compared* late = Straggler(comparison);
  if (late == nullptr) return ranks + ": " + NoStraggler(comparison);
  return fmt::format("{}: {} arrives last in {} % of them, and the first waited {} for it; {}.",
                     ranks, late->work->label,
                     FormatNumber(Share(late->skew.last_count, comparison.collective_count()), 1),
                     FormatDuration(late->skew.caused_ns), WhyLate(comparison, *late));
}

Table ActivityTable(const Comparison& comparison, int64_t limit) {
  Table table{.key = "ranks",
              .title = "Device time of each rank (first to last operation)",
              .columns = {{"rank", "rank"},
                          {"pid", "pid", Unit::kIdentifier},
                          {"span_ns", "span", Unit::kNs},
                          {"busy_ns", "busy", Unit::kNs},
                          {"compute_ns", "compute", Unit::kNs},
                          {"comm_ns", "communication", Unit::kNs},
                          {"comm_exposed_ns", "exposed", Unit::kNs},
                          {"comm_overlapped_pct", "hidden", Unit::kPct},
                          {"idle_ns", "idle", Unit::kNs}}};
  for (const Compared& rank : comparison.ranks) {
    if (static_cast<int64_t>(table.rows.size()) == limit) break;
    const ActivitySplit& split = rank.split;
    table.rows.push_back(
        {rank.work->label, rank.work->pid, split.span_ns, split.busy_ns,
         split.of(KernelClass::kCompute), split.of(KernelClass::kComm), split.comm_exposed_ns(),
         Share(split.comm_overlapped_ns, split.of(KernelClass::kComm)), split.idle_ns()});
  }
  table.total_rows = static_cast<int64_t>(comparison.ranks.size());
  table.more = fmt::format("call again with limit={}", table.total_rows);
  return table;
}

Table SkewTable(const Comparison& comparison, int64_t limit) {
  Table table{.key = "collective_skew",
              .title = "Who the others wait for in collectives",
              .columns = {{"rank", "rank"},
                          {"last_count", "arrived last", Unit::kCount},
                          {"last_pct", "of collectives", Unit::kPct},
                          {"caused_ns", "made the first wait", Unit::kNs},
                          {"waited_ns", "waited itself", Unit::kNs},
                          {"clock_offset_ns", "clock ahead", Unit::kNs},
                          {"clock_error_ns", "+-", Unit::kNs}}};
  for (const Compared& rank : comparison.ranks) {
    if (static_cast<int64_t>(table.rows.size()) == limit) break;
    table.rows.push_back({rank.work->label, rank.skew.last_count,
                          Share(rank.skew.last_count, comparison.collective_count()),
                          rank.skew.caused_ns, rank.skew.waited_ns, rank.skew.clock_offset_ns,
                          rank.skew.clock_error_ns});
  }
  table.total_rows = static_cast<int64_t>(comparison.ranks.size());
  return table;
}

std::vector<std::string> Limits(const Comparison& comparison) {
  std::vector<std::string> notes = {
      "the k-th kernel of a name on every rank is taken for one collective (where counts differ, "
      "those that overlap); arrival is the start of the kernel, which spins until all have come"};
  const CollectiveFacts& facts = comparison.collectives;
  if (facts.unpaired_count > 0) {
    notes.push_back(
        fmt::format("{} communication kernels are not compared: not all ranks ran them "
                    "at that time (groups of ranks, or a cut trace)",
                    FormatCount(facts.unpaired_count)));
  }
  if (facts.uncoincident_count > 0) {
    notes.push_back(
        fmt::format("{} communication kernels are not compared: those of one name do "
                    "not run together, so they are no collectives of all ranks",
                    FormatCount(facts.uncoincident_count)));
  }
  return notes;
}

Answer TooFew(const TraceFacts& facts, size_t rank_count) {
  Answer answer;
  answer.headline = fmt::format(
      "{}: nothing to compare. Import the traces of all ranks into one database: gpuwhy import "
      "DIR --db job.db",
      rank_count == 0 ? "No rank has device operations" : "Only one rank is in this trace");
  if (!facts.Has(Collector::kGpuOp)) answer.notes = {Presence::MissingText(Collector::kGpuOp)};
  answer.next = {"get_trace_overview"};
  return answer;
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const auto facts, LoadFacts(context));
  GPUWHY_ASSIGN_OR_RETURN(const Comparison* comparison, facts->Once(&Compare));
  if (comparison->ranks.size() < 2) return TooFew(*facts, comparison->ranks.size());
  const int64_t limit = context.params.Int("limit");
  Answer answer{.headline = Headline(*comparison), .origin_ns = facts->window().trace_start_ns};
  answer.sections.emplace_back(ActivityTable(*comparison, limit));
  if (comparison->collective_count() > 0)
    answer.sections.emplace_back(SkewTable(*comparison, limit));
  answer.notes = Limits(*comparison);
  for (std::string& note : StandardNotes(*facts))
    answer.notes.push_back(std::move(note));
  answer.next = {"get_step_breakdown", "get_gpu_idle_causes"};
  return answer;
}

}  // namespace

Tool Define() {
  return {.name = "get_rank_comparison",
          .title = "Rank comparison",
          .description =
              "Compares the ranks of a distributed job: compute, exposed communication and idle "
              "time of each, who arrives last in collectives and makes the others wait, clock "
              "offsets. Use it to find a straggler.",
          .params = {SinceParam(), UntilParam(), LimitParam(kDefaultRanks, kMaxRanks)},
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_rank_comparison
