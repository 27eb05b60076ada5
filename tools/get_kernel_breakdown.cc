// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schema/base/text.h"
#include "tools/analysis/activity_split.h"
#include "tools/analysis/launch_stats.h"
#include "tools/analysis/load_facts.h"
#include "tools/support/scope_params.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_kernel_breakdown {
namespace {

constexpr int64_t kDefaultKernels = 12;
constexpr int64_t kMaxKernels = 500;
constexpr size_t kNameLimit = 90;

double Pct(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

struct KernelRow {
  std::string name;
  OpStats stats;
};

// Rows of one short name become one; its p99 is the largest of theirs.
std::vector<KernelRow> MergeByShortName(const std::vector<KernelRow>& rows) {
  std::map<std::string, KernelRow> merged;
  for (const KernelRow& row : rows) {
    const std::string name = ShortKernelName(row.name);
    const auto [it, is_new] = merged.try_emplace(name, KernelRow{name, row.stats});
    if (is_new) continue;
    OpStats& stats = it->second.stats;
    stats.call_count += row.stats.call_count;
    stats.total_ns += row.stats.total_ns;
    stats.max_ns = std::max(stats.max_ns, row.stats.max_ns);
    stats.p99_ns = std::max(stats.p99_ns, row.stats.p99_ns);
  }
  std::vector<KernelRow> out;
  out.reserve(merged.size());
  for (auto& [name, row] : merged)
    out.push_back(std::move(row));
  return out;
}

// What is computed from the rows, once for all calls on one window.
struct Breakdown {
  ActivitySplit split;
  std::vector<OpStats> by_name;
  LaunchStats launches;
  QueueDepth queue;
};

Result<Breakdown> MakeBreakdown(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const auto* calls, facts.HostCalls());
  GPUWHY_ASSIGN_OR_RETURN(const auto* ops, facts.DeviceOps());
  const LaunchIndex launches(*calls);
  return Breakdown{.split = SplitActivity(*ops, {facts.window().start_ns, facts.window().end_ns}),
                   .by_name = StatsByName(*ops),
                   .launches = MakeLaunchStats(*ops, launches),
                   .queue = MakeQueueDepth(*ops, launches)};
}

// `wanted`: the class of kernels to list; empty for all.
Result<std::vector<KernelRow>> Kernels(const TraceFacts& facts, const std::vector<OpStats>& all,
                                       std::string_view wanted, bool has_short_names) {
  std::vector<KernelRow> rows;
  for (const OpStats& stats : all) {
    if (!wanted.empty() && NameOf(stats.kernel_class) != wanted) continue;
    GPUWHY_ASSIGN_OR_RETURN(std::string name, facts.NameText(stats.name_id));
    rows.push_back({std::move(name), stats});
  }
  if (has_short_names) rows = MergeByShortName(rows);
  std::sort(rows.begin(), rows.end(), [](const KernelRow& a, const KernelRow& b) {
    return a.stats.total_ns != b.stats.total_ns ? a.stats.total_ns > b.stats.total_ns
                                                : a.name < b.name;
  });
  return rows;
}

Facts SummaryFacts(const ActivitySplit& split) {
  Facts facts = {.key = "summary"};
  facts.facts = {{"span_ns", "first to last operation", Unit::kNs, split.span_ns},
                 {"busy_ns", "busy", Unit::kNs, split.busy_ns},
                 {"busy_pct", "busy share", Unit::kPct, Pct(split.busy_ns, split.span_ns)},
                 {"idle_ns", "idle", Unit::kNs, split.idle_ns()},
                 {"non_compute_ns", "busy without computation", Unit::kNs, split.non_compute_ns()}};
  if (split.of(KernelClass::kComm) > 0) {
    facts.facts.push_back({"comm_exposed_ns", "communication that no computation hides", Unit::kNs,
                           split.comm_exposed_ns()});
    facts.facts.push_back({"comm_overlapped_pct", "communication hidden", Unit::kPct,
                           Pct(split.comm_overlapped_ns, split.of(KernelClass::kComm))});
  }
  return facts;
}

Table ClassTable(const ActivitySplit& split) {
  Table table = {.key = "classes",
                 .title = "By class (union in time; classes may overlap each other)",
                 .columns = {{"class", "class"},
                             {"union_ns", "time", Unit::kNs},
                             {"busy_pct", "of busy", Unit::kPct},
                             {"operation_count", "operations", Unit::kCount},
                             {"sum_ns", "sum of durations", Unit::kNs}}};
  for (size_t i = 0; i < kKernelClassCount; ++i) {
    if (split.class_count[i] == 0) continue;
    table.rows.push_back({std::string(NameOf(static_cast<KernelClass>(i))), split.class_ns[i],
                          Pct(split.class_ns[i], split.busy_ns), split.class_count[i],
                          split.class_sum_ns[i]});
  }
  return table;
}

Table KernelTable(const std::vector<KernelRow>& rows, int64_t limit, bool has_short_names) {
  Table table = {.key = "operations",
                 .title = "Operations by total duration",
                 .columns = {{"name", "name"},
                             {"class", "class"},
                             {"call_count", "calls", Unit::kCount},
                             {"total_ns", "total", Unit::kNs},
                             {"total_pct", "of total", Unit::kPct},
                             {"mean_ns", "mean", Unit::kNs},
                             {"p99_ns", has_short_names ? "p99, largest" : "p99", Unit::kNs},
                             {"max_ns", "max", Unit::kNs}}};
  int64_t sum_ns = 0;
  for (const KernelRow& row : rows)
    sum_ns += row.stats.total_ns;
  for (const KernelRow& row : rows) {
    if (static_cast<int64_t>(table.rows.size()) == limit) break;
    const OpStats& stats = row.stats;
    table.rows.push_back({row.name, std::string(NameOf(stats.kernel_class)), stats.call_count,
                          stats.total_ns, Pct(stats.total_ns, sum_ns),
                          stats.total_ns / stats.call_count, stats.p99_ns, stats.max_ns});
  }
  table.total_rows = static_cast<int64_t>(rows.size());
  table.more = fmt::format("call again with limit={}", std::min(kMaxKernels, table.total_rows));
  return table;
}

Facts LaunchFacts(const LaunchStats& stats, const QueueDepth& depth) {
  Facts facts = {.key = "launches", .title = "Kernel launches"};
  facts.facts = {
      {"launch_count", "launch calls", Unit::kCount, stats.launch_count},
      {"pair_count", "paired with a kernel", Unit::kCount, stats.pair_count},
      {"unlaunched_count", "kernels without a launch record", Unit::kCount, stats.unlaunched_count},
  };
  if (stats.pair_count == 0) return facts;
  const std::vector<Fact> delays = {
      {"delay_start_median_ns", "launch to start, median", Unit::kNs, stats.delay_start.median_ns},
      {"delay_start_max_ns", "launch to start, max", Unit::kNs, stats.delay_start.max_ns},
      {"delay_end_median_ns", "return to start, median", Unit::kNs, stats.delay_end.median_ns},
      {"launch_median_ns", "launch call, median", Unit::kNs, stats.launch.median_ns},
      {"kernel_median_ns", "kernel, median", Unit::kNs, stats.kernel.median_ns},
      {"short_count", "kernels shorter than their launch", Unit::kCount, stats.short_count},
      {"depth_max_count", "outstanding launches, max", Unit::kCount, depth.max_count},
      {"depth_at_most_one_pct", "time with at most one outstanding", Unit::kPct,
       Pct(depth.at_most_one_ns, depth.span_ns)}};
  facts.facts.insert(facts.facts.end(), delays.begin(), delays.end());
  return facts;
}

std::string Headline(const ActivitySplit& split, const std::vector<KernelRow>& rows) {
  std::string text = fmt::format(
      "The device was busy {} of {} ({} %): computation {}, communication {}, copies and sets {}",
      FormatDuration(split.busy_ns), FormatDuration(split.span_ns),
      FormatNumber(Pct(split.busy_ns, split.span_ns), 1),
      FormatDuration(split.of(KernelClass::kCompute)), FormatDuration(split.of(KernelClass::kComm)),
      FormatDuration(split.of(KernelClass::kMemory)));
  if (!rows.empty()) {
    text += fmt::format("; most time in {}", CleanText(ShortKernelName(rows[0].name), kNameLimit));
  }
  return text + ".";
}

Result<Answer> NoOperations(const TraceFacts& facts) {
  if (facts.Has(Collector::kGpuOp)) return NotFound("no device operation in that window and scope");
  Answer answer;
  answer.headline = "The device was not observed: " + Presence::MissingText(Collector::kGpuOp);
  answer.next = {"get_trace_stats", "get_gpu_idle_causes"};
  return answer;
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const auto facts, LoadFacts(context));
  GPUWHY_ASSIGN_OR_RETURN(const auto* calls, facts->HostCalls());
  GPUWHY_ASSIGN_OR_RETURN(const auto* ops, facts->DeviceOps());
  if (ops->empty()) return NoOperations(*facts);
  const bool has_short_names = context.params.Flag("short_names");
  GPUWHY_ASSIGN_OR_RETURN(const Breakdown* breakdown, facts->Once(&MakeBreakdown));
  GPUWHY_ASSIGN_OR_RETURN(const auto rows, Kernels(*facts, breakdown->by_name,
                                                   context.params.Text("class"), has_short_names));
  Answer answer = {.headline = Headline(breakdown->split, rows),
                   .origin_ns = facts->window().trace_start_ns};
  answer.sections.emplace_back(SummaryFacts(breakdown->split));
  answer.sections.emplace_back(ClassTable(breakdown->split));
  answer.sections.emplace_back(KernelTable(rows, context.params.Int("limit"), has_short_names));
  if (!calls->empty()) {
    answer.sections.emplace_back(LaunchFacts(breakdown->launches, breakdown->queue));
  }
  answer.notes = StandardNotes(*facts);
  answer.next = {"get_gpu_idle_causes", "get_findings"};
  return answer;
}

}  // namespace

Tool Define() {
  return {.name = "get_kernel_breakdown",
          .title = "Kernel breakdown",
          .description =
              "Ranks device operations by total time with calls, mean, p99 and max; splits busy "
              "time into computation, communication (exposed or hidden) and copies; shows launch "
              "delays and queue depth. Use it to see what the GPU spent its time on.",
          .params = {SinceParam(),
                     UntilParam(),
                     ProcessParam(),
                     GpuParam(),
                     {.name = "class",
                      .description = "Only operations of this class.",
                      .choices = {"compute", "comm", "memory", "other"}},
                     {.name = "short_names",
                      .type = ParamType::kBoolean,
                      .description = "true: merge kernels that differ only in template arguments."},
                     LimitParam(kDefaultKernels, kMaxKernels)},
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_kernel_breakdown
