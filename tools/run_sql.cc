// SPDX-License-Identifier: Apache-2.0
// One SELECT of the caller's own. Safe by construction: the handle is read-only, its authorizer
// lets nothing but reading through, and here come the single statement, the time, row and byte
// limits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "schema/base/text.h"
#include "tools/support/sql_hints.h"
#include "tools/tool.h"

namespace gpuwhy::tools::run_sql {
namespace {

constexpr auto kTimeLimit = std::chrono::seconds(10);
constexpr size_t kAnswerBytes = 16'000;
constexpr size_t kCellBytes = 300;
constexpr size_t kBlobBytes = 16;
constexpr int64_t kDefaultRows = 100;
constexpr int64_t kMaxRows = 1000;

std::string HexOf(std::string_view blob) {
  std::string hex = "x'";
  for (const char c : blob.substr(0, kBlobBytes))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex + (blob.size() > kBlobBytes ? fmt::format("...' ({} bytes)", blob.size()) : "'");
}

Value CellOf(const Row& row, int column) {
  switch (row.Type(column)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return row.Int(column);
    case SQLITE_FLOAT:
      return row.Real(column);
    case SQLITE_BLOB:
      return HexOf(row.Blob(column));
    default:
      return CleanText(row.Text(column).substr(0, kCellBytes * 4), kCellBytes);
  }
}

size_t SizeOf(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? 12 : text->size() + 2;
}

// One statement, and nothing but blanks, comments and semicolons after it.
Result<Statement> PrepareOne(const TraceDb& db, const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  const int code =
      sqlite3_prepare_v2(db.handle(), sql.c_str(), static_cast<int>(sql.size()), &raw, &rest);
  if (code != SQLITE_OK) return ExplainSqlError(db, sql);
  if (raw == nullptr) return InvalidArgument("sql holds no statement: give one SELECT");
  Statement statement(raw);
  sqlite3_stmt* second = nullptr;
  const int rest_code = sqlite3_prepare_v2(db.handle(), rest, -1, &second, nullptr);
  const Statement ignored(second);
  if (rest_code != SQLITE_OK || second != nullptr) {
    return InvalidArgument("sql holds more than one statement: call once for each");
  }
  if (sqlite3_stmt_readonly(raw) == 0)
    return InvalidArgument("only SELECT is allowed: traces are read-only");
  return statement;
}

std::string UniqueKey(const Table& table, std::string name) {
  const auto is_taken = [&](const Column& column) { return column.key == name; };
  const std::string base = name;
  for (int n = 2; std::any_of(table.columns.begin(), table.columns.end(), is_taken); ++n)
    name = fmt::format("{}_{}", base, n);
  return name;
}

Table HeadOf(const Statement& statement) {
  Table table{.key = "rows"};
  for (int i = 0; i < statement.row().ColumnCount(); ++i) {
    const std::string name = UniqueKey(table, CleanText(statement.row().ColumnName(i), 60));
    table.columns.push_back({name, name, Unit::kText});
  }
  return table;
}

// Text columns stay left-aligned; numbers are printed raw, as SQL gave them.
void AlignNumbers(Table& table) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_integer = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return !std::holds_alternative<std::string>(row[i]) &&
             !std::holds_alternative<double>(row[i]);
    });
    const bool is_number = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return !std::holds_alternative<std::string>(row[i]);
    });
    if (is_number) table.columns[i].unit = is_integer ? Unit::kIdentifier : Unit::kNumber;
  }
}

// Fills the table; returns why it stopped early, or an empty text.
Result<std::string> Fetch(Statement& statement, int64_t limit, Table& table) {
  size_t bytes = 0;
  while (true) {
    GPUWHY_ASSIGN_OR_RETURN(const bool has_row, statement.Step());
    if (!has_row) return std::string();
    if (static_cast<int64_t>(table.rows.size()) == limit) {
      return fmt::format(
          "there are more rows than limit={}: aggregate, add a WHERE, or raise limit (up to {})",
          limit, kMaxRows);
    }
    std::vector<Value> cells;
    for (int i = 0; i < statement.row().ColumnCount(); ++i) {
      cells.push_back(CellOf(statement.row(), i));
      bytes += SizeOf(cells.back());
    }
    if (bytes > kAnswerBytes && !table.rows.empty()) {
      return fmt::format("the answer is cut at {}: select fewer columns or rows, or aggregate",
                         FormatBytes(kAnswerBytes));
    }
    table.rows.push_back(std::move(cells));
  }
}

Result<Answer> Run(const ToolContext& context) {
  const TraceDb& db = *context.db;
  context.db->SetInterrupt(context.stop, std::chrono::steady_clock::now() + kTimeLimit);
  GPUWHY_ASSIGN_OR_RETURN(Statement statement, PrepareOne(db, context.params.Text("sql")));
  Table table = HeadOf(statement);
  auto stopped = Fetch(statement, context.params.Int("limit"), table);
  context.db->SetInterrupt(context.stop, {});
  if (!stopped.ok()) {
    const bool is_late =
        stopped.error().code == ErrorCode::kCancelled && !context.stop.stop_requested();
    if (!is_late) return stopped.error();
    return Unavailable(fmt::format(
        "the query ran longer than {} s: narrow it with WHERE start_ns BETWEEN, or query "
        "the roll-ups in latencies",
        kTimeLimit.count()));
  }
  AlignNumbers(table);
  Answer answer;
  answer.headline = fmt::format("{} row{}", table.rows.size(), table.rows.size() == 1 ? "" : "s");
  if (!stopped.value().empty()) answer.notes.push_back(std::move(stopped).value());
  if (table.rows.empty()) answer.notes.emplace_back(kTablesHint);
  answer.sections.emplace_back(std::move(table));
  return answer;
}

}  // namespace

Tool Define() {
  return {.name = "run_sql",
          .title = "SQL query",
          .description =
              "Runs one read-only SELECT (SQLite) when no other tool answers. Views with names "
              "resolved: api_calls, "
              "gpu_ops, ranges, off_cpus, host_events, latencies. Functions: p50 p95 p99 "
              "percentile(x,p). Times are Unix ns.",
          .params = {{.name = "sql", .description = "One SELECT statement.", .is_required = true},
                     LimitParam(kDefaultRows, kMaxRows)},
          .run = &Run};
}

}  // namespace gpuwhy::tools::run_sql
