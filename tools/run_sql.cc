// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "schema/base/text.h"
#include "tools/support/sql_guard.h"
#include "tools/tool.h"

namespace gpuwhy::tools::run_sql {
namespace {

constexpr auto kTimeLimit = std::chrono::seconds(10);
constexpr int64_t kDefaultRows = 100;
constexpr int64_t kMaxRows = 1000;
constexpr size_t kMaxAnswerBytes = 16'000;
constexpr size_t kShownBlobBytes = 16;
constexpr size_t kNameLimit = 60;
constexpr size_t kCellLimit = 300;

// Gives the handle a deadline for the time of one query.
class Deadline {
 public:
  explicit Deadline(const ToolContext& context) : context_(context) {
    context_.db->SetInterrupt(context_.stop, std::chrono::steady_clock::now() + kTimeLimit);
  }
  ~Deadline() { context_.db->SetInterrupt(context_.stop, std::nullopt); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  const ToolContext& context_;
};

// "x'0102...' (300 bytes)"
std::string FormatBlob(std::string_view data) {
  std::string out = "x'";
  for (const char byte : data.substr(0, kShownBlobBytes))
    out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  if (data.size() <= kShownBlobBytes) return out + "'";
  return out + fmt::format("...' ({} bytes)", FormatCount(static_cast<int64_t>(data.size())));
}

Value Cell(const Row& row, int column) {
  switch (row.Type(column)) {
    case SQLITE_INTEGER:
      return row.Int(column);
    case SQLITE_FLOAT:
      return row.Real(column);
    case SQLITE_TEXT:
      return CleanText(row.Text(column), kCellLimit);
    case SQLITE_BLOB:
      return FormatBlob(row.Blob(column));
    default:
      return {};
  }
}

// Names of result columns can repeat and can be any text; JSON keys cannot repeat.
std::vector<Column> ColumnsOf(const Row& row) {
  std::vector<Column> columns;
  std::set<std::string> taken;
  for (int i = 0; i < row.ColumnCount(); ++i) {
    const char* raw = row.ColumnName(i);
    const std::string name = CleanText(raw == nullptr ? "" : raw, kNameLimit);
    std::string key = name;
    for (int n = 2; !taken.insert(key).second; ++n)
      key = fmt::format("{}_{}", name, n);
    columns.push_back({.key = key, .label = key, .unit = Unit::kRaw});
  }
  return columns;
}

// In the longest of the forms an answer has.
size_t SizeOf(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return 2 + (text == nullptr ? FormatValue(value, Unit::kRaw).size() : text->size());
}

struct Rows {
  Table table{.key = "rows"};
  bool has_more = false;
  bool is_cut_by_size = false;
};

Result<Rows> Read(Statement& statement, size_t limit) {
  Rows rows;
  rows.table.columns = ColumnsOf(statement.row());
  size_t bytes = 0;
  while (true) {
    GPUWHY_ASSIGN_OR_RETURN(const bool has_row, statement.Step());
    if (!has_row) return rows;
    rows.has_more = rows.table.rows.size() == limit;
    rows.is_cut_by_size = bytes > kMaxAnswerBytes;
    if (rows.has_more || rows.is_cut_by_size) return rows;
    std::vector<Value> cells;
    for (int i = 0; i < statement.row().ColumnCount(); ++i) {
      cells.push_back(Cell(statement.row(), i));
      bytes += SizeOf(cells.back());
    }
    rows.table.rows.push_back(std::move(cells));
  }
}

Error ExplainFailure(const ToolContext& context, const Error& error) {
  if (error.code == ErrorCode::kCancelled && !context.stop.stop_requested()) {
    return Unavailable(
        "the query took longer than 10 s and was stopped: limit it to a window (WHERE start_ns "
        "BETWEEN ...), group, or ask the table latency, which has one row per second and "
        "operation");
  }
  if (error.code != ErrorCode::kInvalidArgument) return error;
  return ExplainSqlError(*context.db, context.params.Text("sql"), error.message);
}

Result<Answer> Run(const ToolContext& context) {
  const Deadline deadline(context);
  GPUWHY_ASSIGN_OR_RETURN(Statement statement,
                          PrepareOneSelect(*context.db, context.params.Text("sql")));
  auto read = Read(statement, static_cast<size_t>(context.params.Int("limit")));
  if (!read.ok()) return ExplainFailure(context, read.error());
  Rows rows = std::move(read).value();
  const size_t count = rows.table.rows.size();
  Answer answer;
  answer.headline = fmt::format("{} row{}", count, count == 1 ? "" : "s");
  if (rows.has_more) {
    answer.headline += ", and there are more";
    answer.notes.push_back(fmt::format(
        "stopped after {} rows: narrow with WHERE or GROUP BY, page with LIMIT n OFFSET "
        "m, or call again with limit={}",
        count, kMaxRows));
  }
  if (rows.is_cut_by_size) {
    answer.headline += ", and there are more";
    answer.notes.push_back(fmt::format(
        "stopped after {} rows, at 16 kB of text: select fewer columns, substr() long ones, group, "
        "or page with LIMIT n OFFSET m",
        count));
  }
  answer.sections.emplace_back(std::move(rows.table));
  return answer;
}

}  // namespace

Tool Define() {
  return {
      .name = "run_sql",
      .title = "SQL query",
      .description =
          "Runs one read-only SELECT (SQLite). Start from the views api_calls, gpu_ops, ranges, "
          "off_cpus, host_events, latencies; p50, p95, p99 and percentile(x, p) aggregate. Times "
          "are Unix nanoseconds. For what no other tool answers.",
      .params = {{.name = "sql",
                  .description = "One SELECT, for example SELECT name, count(*), "
                                 "p99(duration_ns) FROM api_calls GROUP BY name",
                  .is_required = true},
                 LimitParam(kDefaultRows, kMaxRows)},
      .run = &Run};
}

}  // namespace gpuwhy::tools::run_sql
