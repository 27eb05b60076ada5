// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "schema/base/text.h"
#include "tools/analysis/names.h"
#include "tools/analysis/sample_shares.h"
#include "tools/support/callsites.h"
#include "tools/support/range_stacks.h"
#include "tools/support/scope_params.h"
#include "tools/support/window.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_call_stacks {
namespace {

constexpr int64_t kDefaultLimit = 5;
constexpr int64_t kMaxLimit = 50;
constexpr int64_t kDefaultDepth = 10;
constexpr int64_t kMaxDepth = 64;

struct Query {
  const ToolContext& context;
  Window window;
  std::unordered_set<int64_t> process_ids;  // empty = all
  std::unordered_set<int64_t> name_ids;     // of the operation asked for
  bool has_operation = false;

  const TraceDb& db() const { return *context.db; }
  size_t depth() const { return static_cast<size_t>(context.params.Int("depth")); }
  size_t limit() const { return static_cast<size_t>(context.params.Int("limit")); }
  bool HasProcess(const Row& row, int column) const {
    return process_ids.empty() || (!row.IsNull(column) && process_ids.contains(row.Int(column)));
  }
  bool HasName(int64_t name_id) const { return !has_operation || name_ids.contains(name_id); }
};

struct Stack {
  int64_t name_id = 0;
  int64_t callsite_id = 0;
  int64_t call_count = 0;
  int64_t sum_ns = 0;
  int64_t max_ns = 0;
};

Result<Query> MakeQuery(const ToolContext& context) {
  Query query{.context = context};
  GPUWHY_ASSIGN_OR_RETURN(query.window, ResolveWindow(*context.db, context.params));
  GPUWHY_ASSIGN_OR_RETURN(const auto ids, ResolveProcesses(*context.db, context.params));
  query.process_ids.insert(ids.begin(), ids.end());
  const std::string operation = context.params.Text("operation");
  query.has_operation = !operation.empty();
  if (!query.has_operation) return query;
  GPUWHY_RETURN_IF_ERROR(context.db->Query(
      "SELECT id FROM name WHERE instr(text, ?) > 0", {std::string_view(operation)},
      [&](const Row& row) { query.name_ids.insert(row.Int(0)); }));
  if (query.name_ids.empty()) {
    return NotFound(fmt::format("no operation has {} in its name: get_trace_stats lists them",
                                CleanText(operation, 60)));
  }
  return query;
}

Item MakeItem(std::string title, std::string stack, const Stack& numbers) {
  Item item{.title = std::move(title)};
  item.facts = {{"call_count", "calls", Unit::kCount, numbers.call_count},
                {"sum_ns", "sum", Unit::kNs, numbers.sum_ns},
                {"max_ns", "longest", Unit::kNs, numbers.max_ns}};
  item.lines.emplace_back("stack", std::move(stack));
  return item;
}

void Shorten(const Query& query, Items& items) {
  if (items.total_items <= static_cast<int64_t>(items.items.size())) {
    items.total_items = -1;
  } else {
    items.more = fmt::format(
        "call again with limit={}",
        std::min(kMaxLimit, std::max(items.total_items, static_cast<int64_t>(query.limit()))));
  }
}

// `sql` yields name_id, callsite_id, count, sum, max and process_id.
Result<std::vector<Stack>> LoadStacks(const Query& query, std::string_view sql) {
  std::vector<Stack> stacks;
  GPUWHY_RETURN_IF_ERROR(
      query.db().Query(sql, {query.window.start_ns, query.window.end_ns}, [&](const Row& row) {
        constexpr int kProcessColumn = 5;
        if (!query.HasProcess(row, kProcessColumn) || !query.HasName(row.Int(0))) return;
        stacks.push_back({row.Int(0), row.Int(1), row.Int(2), row.Int(3), row.Int(4)});
      }));
  return stacks;
}

Status AddRecorded(const Query& query, Answer& answer) {
  GPUWHY_ASSIGN_OR_RETURN(
      const auto stacks,
      LoadStacks(query,
                 "SELECT c.name_id, c.callsite_id, count(*), sum(c.duration_ns), "
                 "max(c.duration_ns), t.process_id FROM api_call c "
                 "JOIN thread t ON t.id = c.thread_id WHERE c.callsite_id IS NOT NULL "
                 "AND c.start_ns >= ? AND c.start_ns < ? GROUP BY 1, 2, 6 ORDER BY 4 DESC"));
  if (stacks.empty()) return {};
  const Names names(query.db());
  Callsites callsites(query.db());
  Items items{.key = "call_stacks",
              .title = "CUDA calls by call stack, innermost function first",
              .total_items = static_cast<int64_t>(stacks.size())};
  for (size_t i = 0; i < std::min(query.limit(), stacks.size()); ++i) {
    GPUWHY_ASSIGN_OR_RETURN(const std::string name, names.Text(stacks[i].name_id));
    GPUWHY_ASSIGN_OR_RETURN(std::string stack,
                            callsites.Describe(stacks[i].callsite_id, query.depth()));
    items.items.push_back(MakeItem(ShortFunctionName(name), std::move(stack), stacks[i]));
  }
  Shorten(query, items);
  answer.sections.emplace_back(std::move(items));
  return {};
}

Status AddSampleClasses(const Query& query, Answer& answer) {
  const auto has_process = [&](int64_t process_id) {
    return query.process_ids.empty() || query.process_ids.contains(process_id);
  };
  GPUWHY_ASSIGN_OR_RETURN(const auto shares,
                          SharesOfSamples(query.db(), query.window, has_process));
  int64_t all_count = 0;
  for (const SampleShare& share : shares)
    all_count += share.sample_count;
  Table table{.key = "sample_classes",
              .title = "What the sampled threads were doing, by the names on their stacks",
              .columns = {{"class", "class"},
                          {"sample_count", "samples", Unit::kCount},
                          {"share_pct", "share", Unit::kPct}}};
  for (const SampleShare& share : shares) {
    table.rows.push_back(
        {std::string(NameOfSampleClass(share.sample_class)), share.sample_count,
         100.0 * static_cast<double>(share.sample_count) / static_cast<double>(all_count)});
  }
  answer.sections.emplace_back(std::move(table));
  return {};
}

Status AddSamples(const Query& query, Answer& answer) {
  std::vector<Stack> stacks;
  int64_t total_count = 0;
  GPUWHY_RETURN_IF_ERROR(
      query.db().Query("SELECT s.callsite_id, sum(s.weight_count), t.process_id FROM sample s "
                       "JOIN thread t ON t.id = s.thread_id WHERE s.time_ns >= ? AND s.time_ns < ? "
                       "GROUP BY 1, 3 ORDER BY 2 DESC",
                       {query.window.start_ns, query.window.end_ns}, [&](const Row& row) {
                         if (!query.HasProcess(row, 2)) return;
                         stacks.push_back({.callsite_id = row.Int(0), .call_count = row.Int(1)});
                         total_count += row.Int(1);
                       }));
  if (stacks.empty() || query.has_operation) return {};
  Callsites callsites(query.db());
  Items items{.key = "samples",
              .title = "CPU samples by call stack, innermost function first",
              .total_items = static_cast<int64_t>(stacks.size())};
  for (size_t i = 0; i < std::min(query.limit(), stacks.size()); ++i) {
    const Stack& stack = stacks[i];
    GPUWHY_ASSIGN_OR_RETURN(std::string text, callsites.Describe(stack.callsite_id, query.depth()));
    const double share_pct =
        100.0 * static_cast<double>(stack.call_count) / static_cast<double>(total_count);
    Item item{.title = text.substr(0, text.find(" <- "))};
    item.facts = {{"sample_count", "samples", Unit::kCount, stack.call_count},
                  {"share_pct", "share", Unit::kPct, share_pct}};
    item.lines.emplace_back("stack", std::move(text));
    items.items.push_back(std::move(item));
  }
  Shorten(query, items);
  answer.sections.emplace_back(std::move(items));
  return AddSampleClasses(query, answer);
}

// Launches of the GPU operations asked for, weighed by the time on the device.
Result<std::vector<CallPoint>> LaunchPoints(const Query& query) {
  std::vector<CallPoint> points;
  GPUWHY_RETURN_IF_ERROR(query.db().Query(
      "SELECT o.name_id, c.start_ns, c.thread_id, o.duration_ns, o.process_id FROM gpu_op o "
      "JOIN api_call c ON c.correlation_id = o.correlation_id "
      "JOIN thread t ON t.id = c.thread_id AND t.process_id = o.process_id "
      "WHERE o.start_ns >= ? AND o.start_ns < ? AND c.parent_id IS NULL",
      {query.window.start_ns, query.window.end_ns}, [&](const Row& row) {
        if (!query.HasName(row.Int(0)) || !query.HasProcess(row, 4)) return;
        points.push_back({row.Int(1), row.Int(2), row.Int(0), row.Int(3)});
      }));
  return points;
}

Result<std::vector<CallPoint>> ApiPoints(const Query& query) {
  std::vector<CallPoint> points;
  GPUWHY_RETURN_IF_ERROR(query.db().Query(
      "SELECT c.name_id, c.start_ns, c.thread_id, c.duration_ns, t.process_id FROM api_call c "
      "JOIN thread t ON t.id = c.thread_id "
      "WHERE c.start_ns >= ? AND c.start_ns < ? AND c.parent_id IS NULL",
      {query.window.start_ns, query.window.end_ns}, [&](const Row& row) {
        if (!query.HasName(row.Int(0)) || !query.HasProcess(row, 4)) return;
        points.push_back({row.Int(1), row.Int(2), row.Int(0), row.Int(3)});
      }));
  return points;
}

Result<Items> RangeItems(const Query& query, const std::vector<StackGroup>& groups) {
  const Names names(query.db());
  Items items{.key = "range_stacks", .total_items = static_cast<int64_t>(groups.size())};
  for (size_t i = 0; i < std::min(query.limit(), groups.size()); ++i) {
    const StackGroup& group = groups[i];
    std::vector<std::string> frames;
    for (const int64_t name_id : group.range_name_ids) {
      GPUWHY_ASSIGN_OR_RETURN(const std::string name, names.Text(name_id));
      frames.push_back(CleanText(name, 60));
    }
    GPUWHY_ASSIGN_OR_RETURN(const std::string name, names.Text(group.name_id));
    const std::string stack =
        frames.empty() ? "(no range encloses it)" : JoinStack(frames, query.depth());
    items.items.push_back(
        MakeItem(ShortFunctionName(name), stack,
                 {.call_count = group.call_count, .sum_ns = group.sum_ns, .max_ns = group.max_ns}));
  }
  Shorten(query, items);
  return items;
}

Status AddRangeStacks(const Query& query, Answer& answer) {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t has_ranges,
                          query.db().QueryInt("SELECT 1 FROM range LIMIT 1"));
  if (has_ranges == 0) return {};
  std::vector<CallPoint> points;
  if (query.has_operation) {
    GPUWHY_ASSIGN_OR_RETURN(points, LaunchPoints(query));
  }
  const bool is_device = !points.empty();
  if (!is_device) {
    GPUWHY_ASSIGN_OR_RETURN(points, ApiPoints(query));
  }
  if (points.empty()) return {};
  GPUWHY_ASSIGN_OR_RETURN(const auto groups,
                          GroupByRanges(query.db(), std::move(points), query.depth()));
  GPUWHY_ASSIGN_OR_RETURN(Items items, RangeItems(query, groups));
  items.title = is_device ? "GPU time by the ranges that enclosed the launch, innermost first"
                          : "CUDA calls by the ranges that enclosed them, innermost first";
  answer.sections.emplace_back(std::move(items));
  return {};
}

std::string Headline(const Answer& answer) {
  if (answer.sections.empty()) return "No call stack, sample or enclosing range was recorded here";
  const auto& items = std::get<Items>(answer.sections.front());
  const auto total = std::max(items.total_items, static_cast<int64_t>(items.items.size()));
  return fmt::format("{} of {} stacks, the heaviest first", items.items.size(), FormatCount(total));
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const Query query, MakeQuery(context));
  Answer answer{.origin_ns = query.window.trace_start_ns};
  GPUWHY_RETURN_IF_ERROR(AddRecorded(query, answer));
  GPUWHY_RETURN_IF_ERROR(AddSamples(query, answer));
  if (answer.sections.empty()) GPUWHY_RETURN_IF_ERROR(AddRangeStacks(query, answer));
  answer.headline = Headline(answer);
  if (answer.sections.empty()) {
    answer.notes.emplace_back(
        "stacks come from gpuwhy trace, from perf script, Nsight Systems and Ingero files with "
        "stacks, and from Kineto traces with operators, annotations or with_stack=True");
  }
  return answer;
}

}  // namespace

Tool Define() {
  return {.name = "get_call_stacks",
          .title = "Call stacks",
          .description =
              "Shows which code made the CUDA calls: the heaviest call stacks, CPU samples, or the "
              "enclosing operators and Python functions. With operation, those of one call or of "
              "the launches of one kernel.",
          .params = {{.name = "operation",
                      .description = "Only calls or kernels whose name contains this text."},
                     SinceParam(),
                     UntilParam(),
                     ProcessParam(),
                     {.name = "depth",
                      .type = ParamType::kInteger,
                      .description = "Functions of each stack to show.",
                      .default_int = kDefaultDepth,
                      .min = 1,
                      .max = kMaxDepth},
                     LimitParam(kDefaultLimit, kMaxLimit)},
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_call_stacks
