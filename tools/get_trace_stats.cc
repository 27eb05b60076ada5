// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "schema/base/text.h"
#include "tools/support/operation_stats.h"
#include "tools/support/scope_params.h"
#include "tools/support/tables.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_trace_stats {
namespace {

constexpr int64_t kMaxRows = 500'000;  // exact statistics of more take longer than 300 ms
constexpr size_t kNameLimit = 80;
constexpr int64_t kDefaultLimit = 8;
constexpr int64_t kMaxLimit = 200;
constexpr std::array<std::string_view, 5> kTitles = {
    "CUDA API calls (api_call)", "GPU operations (gpu_op)", "Time off the CPU, by reason (off_cpu)",
    "Operating system events (host_event)", "Ranges, each with those inside it (range)"};

struct Totals {
  int64_t operation_count = 0;
  int64_t event_count = 0;
  int64_t stored_count = 0;
};

Totals Sum(const std::vector<OperationStats>& operations) {
  Totals totals;
  for (const OperationStats& stats : operations) {
    ++totals.operation_count;
    totals.event_count += stats.event_count;
    totals.stored_count += stats.stored_count;
  }
  return totals;
}

// Keeps what the parameters operation and source ask for.
void Select(const Params& params, std::vector<OperationStats>& operations) {
  const std::string operation = params.Text("operation");
  const std::string source = params.Text("source");
  std::erase_if(operations, [&](const OperationStats& stats) {
    return (!source.empty() && stats.source != source) ||
           stats.name.find(operation) == std::string::npos;
  });
  std::stable_sort(operations.begin(), operations.end(), [](const auto& a, const auto& b) {
    return std::tie(b.sum_ns, b.event_count, a.name) < std::tie(a.sum_ns, a.event_count, b.name);
  });
}

Value Optional(const std::optional<int64_t>& value) {
  return value ? Value(*value) : Value();
}

struct TableOptions {
  std::string_view source;
  std::string_view title;
  int64_t limit;
};

Table RowTable(const std::vector<OperationStats>& operations, const TableOptions& options) {
  Table table{.key = std::string(options.source), .title = std::string(options.title)};
  table.columns = {{"operation", "operation"},           {"event_count", "count", Unit::kCount},
                   {"sum_ns", "sum", Unit::kNs},         {"min_ns", "min", Unit::kNs},
                   {"p50_ns", "p50", Unit::kNs},         {"p95_ns", "p95", Unit::kNs},
                   {"p99_ns", "p99", Unit::kNs},         {"max_ns", "max", Unit::kNs},
                   {"sum_bytes", "bytes", Unit::kBytes}, {"nested_count", "nested", Unit::kCount}};
  for (const OperationStats& stats : operations) {
    if (stats.source != options.source) continue;
    table.rows.push_back({CleanText(stats.name, kNameLimit), stats.event_count, stats.sum_ns,
                          stats.min_ns, Optional(stats.p50_ns), Optional(stats.p95_ns),
                          Optional(stats.p99_ns), stats.max_ns, stats.sum_bytes,
                          stats.nested_count});
  }
  const auto total = static_cast<int64_t>(table.rows.size());
  KeepRows(
      table, options.limit,
      fmt::format("call again with source={} limit={}", table.key, std::min(kMaxLimit, total)));
  DropEmptyColumns(table);
  return table;
}

void AddRowTables(const std::vector<OperationStats>& operations, int64_t limit, Answer& answer) {
  for (size_t i = 0; i < std::size(kEventSources); ++i) {
    Table table =
        RowTable(operations, {.source = kEventSources[i], .title = kTitles.at(i), .limit = limit});
    if (!table.rows.empty()) answer.sections.emplace_back(std::move(table));
  }
}

// Operations of which not every event is a row.
void AddCountedTable(const std::vector<OperationStats>& counted, int64_t limit, Answer& answer) {
  Table table{.key = "counted",
              .title = "All events as the recorder counted them, where not all were stored",
              .columns = {{"operation", "operation"},
                          {"source", "source"},
                          {"event_count", "count", Unit::kCount},
                          {"stored_count", "stored", Unit::kCount},
                          {"sum_ns", "sum", Unit::kNs},
                          {"mean_ns", "mean", Unit::kNs},
                          {"max_ns", "max", Unit::kNs},
                          {"sum_bytes", "bytes", Unit::kBytes}}};
  for (const OperationStats& stats : counted) {
    if (stats.stored_count >= stats.event_count) continue;
    table.rows.push_back({CleanText(stats.name, kNameLimit), std::string(stats.source),
                          stats.event_count, stats.stored_count, stats.sum_ns,
                          stats.sum_ns / stats.event_count, stats.max_ns,
                          stats.sum_bytes > 0 ? Value(stats.sum_bytes) : Value()});
  }
  KeepRows(table, std::max(limit, kDefaultLimit + 4),
           fmt::format("call again with limit={}", kMaxLimit));
  DropEmptyColumns(table);
  if (!table.rows.empty()) answer.sections.emplace_back(std::move(table));
}

void AddNestedNote(const std::vector<OperationStats>& operations, Answer& answer) {
  OperationStats calls;
  for (const OperationStats& stats : operations) {
    if (stats.source != "api_call") continue;
    calls.event_count += stats.event_count;
    calls.sum_ns += stats.sum_ns;
    calls.nested_count += stats.nested_count;
    calls.nested_ns += stats.nested_ns;
  }
  if (calls.nested_count == 0) return;
  answer.notes.push_back(fmt::format(
      "{} of the {} CUDA calls ran inside another one (column nested: the driver call that a "
      "runtime call made). Outermost calls alone: {} calls, {}. Do not add the two",
      FormatCount(calls.nested_count), FormatCount(calls.event_count),
      FormatCount(calls.event_count - calls.nested_count),
      FormatDuration(calls.sum_ns - calls.nested_ns)));
}

// Roll-ups speak of whole buckets.
void AddBucketNote(const RollUpStats& roll_ups, const Window& window, Answer& answer) {
  const bool is_aligned = roll_ups.start_ns >= window.start_ns && roll_ups.end_ns <= window.end_ns;
  if (window.IsWholeTrace() || is_aligned || roll_ups.operations.empty()) return;
  answer.notes.push_back(fmt::format(
      "counts are kept per {}, so they cover {} to {}", FormatDuration(roll_ups.width_ns),
      FormatValue(roll_ups.start_ns, Unit::kTimeNs, answer.origin_ns),
      FormatValue(roll_ups.end_ns, Unit::kTimeNs, answer.origin_ns)));
}

Result<Answer> AnswerFromRollUps(const StatsRequest& request, const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(RollUpStats roll_ups, StatsOfRollUps(request, true));
  Select(context.params, roll_ups.operations);
  const Totals totals = Sum(roll_ups.operations);
  Answer answer{.origin_ns = request.window.trace_start_ns};
  answer.headline = fmt::format(
      "{} operations, {} events in {}, from per-second roll-ups of every event: counts "
      "and sums are exact, percentiles within 1 %",
      FormatCount(totals.operation_count), FormatCount(totals.event_count),
      FormatDuration(request.window.duration_ns()));
  AddRowTables(roll_ups.operations, context.params.Int("limit"), answer);
  AddBucketNote(roll_ups, request.window, answer);
  if (totals.stored_count < totals.event_count) {
    answer.notes.push_back(fmt::format("{} stored of {} counted: every event is in these numbers",
                                       FormatCount(totals.stored_count),
                                       FormatCount(totals.event_count)));
  }
  return answer;
}

Result<bool> IsSelective(const TraceDb& db) {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t is_selective,
                          db.QueryInt("SELECT max(is_selective) FROM capture"));
  return is_selective != 0;
}

Result<Answer> AnswerFromRows(const StatsRequest& request, const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(auto operations, StatsOfRows(request));
  GPUWHY_ASSIGN_OR_RETURN(RollUpStats roll_ups, StatsOfRollUps(request, false));
  GPUWHY_ASSIGN_OR_RETURN(const bool is_selective, IsSelective(request.db));
  Select(context.params, operations);
  Select(context.params, roll_ups.operations);
  const Totals rows = Sum(operations);
  const Totals counted = Sum(roll_ups.operations);
  const int64_t limit = context.params.Int("limit");
  const bool is_partial = counted.event_count > counted.stored_count;
  Answer answer{.origin_ns = request.window.trace_start_ns};
  answer.headline = fmt::format(
      "{} operations in {}: exact statistics of {}", FormatCount(rows.operation_count),
      FormatDuration(request.window.duration_ns()),
      is_partial ? fmt::format("the {} events stored of {} counted", FormatCount(rows.event_count),
                               FormatCount(counted.event_count))
                 : fmt::format("all {} events", FormatCount(rows.event_count)));
  AddRowTables(operations, limit, answer);
  if (is_partial) AddCountedTable(roll_ups.operations, limit, answer);
  AddNestedNote(operations, answer);
  if (is_partial) AddBucketNote(roll_ups, request.window, answer);
  if (is_selective) {
    answer.notes.emplace_back(
        "the recorder stored mostly slow and rare events: percentiles of its rows are too high, "
        "counted sums are not");
  }
  return answer;
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const Window window, ResolveWindow(*context.db, context.params));
  GPUWHY_ASSIGN_OR_RETURN(std::vector<int64_t> process_ids,
                          ResolveProcesses(*context.db, context.params));
  const StatsRequest request{
      .db = *context.db, .window = window, .process_ids = std::move(process_ids)};
  GPUWHY_ASSIGN_OR_RETURN(const int64_t row_count, CountRows(request, kMaxRows + 1));
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t has_histograms,
      context.db->QueryInt("SELECT 1 FROM latency WHERE histogram IS NOT NULL LIMIT 1"));
  if (row_count > kMaxRows && has_histograms != 0) return AnswerFromRollUps(request, context);
  return AnswerFromRows(request, context);
}

}  // namespace

Tool Define() {
  return {.name = "get_trace_stats",
          .title = "Statistics per operation",
          .description =
              "Lists count, sum, min, p50, p95, p99, max and bytes of every operation: CUDA calls, "
              "GPU operations, off-CPU time, system events, ranges. Use it to see what is slow or "
              "frequent.",
          .params = {SinceParam(),
                     UntilParam(),
                     ProcessParam(),
                     {.name = "operation",
                      .description = "Only operations whose name contains this text."},
                     {.name = "source",
                      .description = "Only operations of this table.",
                      .choices = {"api_call", "gpu_op", "off_cpu", "host_event", "range"}},
                     LimitParam(kDefaultLimit, kMaxLimit)},
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_trace_stats
