// SPDX-License-Identifier: Apache-2.0
#include "tools/support/sql_guard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kViews = "api_calls, gpu_ops, ranges, off_cpus, host_events, latencies";
constexpr std::string_view kExample =
    "SELECT name, count(*), p99(duration_ns) FROM api_calls GROUP BY name";

std::string Lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool IsWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool HasWord(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool starts = at == 0 || !IsWordPart(text[at - 1]);
    if (starts && (end == text.size() || !IsWordPart(text[end]))) return true;
  }
  return false;
}

std::vector<std::string> Texts(const TraceDb& db, std::string_view sql, int column) {
  std::vector<std::string> texts;
  const Status status = db.Query(
      sql, {}, [&](const Row& row) { texts.emplace_back(CleanText(row.Text(column), 60)); });
  if (!status.ok()) texts.clear();  // the error that is being explained matters more
  return texts;
}

std::vector<std::string> Tables(const TraceDb& db) {
  return Texts(db,
               "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
               "AND name NOT LIKE 'sqlite_%' ORDER BY type = 'table', name",
               0);
}

// "api_calls has columns id, start_ns, ...; "
std::string ColumnsOfNamedTables(const TraceDb& db, const std::string& sql) {
  constexpr int kNameColumn = 1;
  std::string out;
  const std::string lower = Lower(sql);
  for (const std::string& table : Tables(db)) {
    const bool is_plain = std::all_of(table.begin(), table.end(), &IsWordPart);
    if (!is_plain || !HasWord(lower, Lower(table))) continue;
    const auto columns = Texts(db, fmt::format("PRAGMA table_info({})", table), kNameColumn);
    out += fmt::format("; {} has columns {}", table, fmt::join(columns, ", "));
  }
  return out;
}

// Whether anything but comments, spaces and semicolons follows the first statement.
bool HasMore(const TraceDb& db, const char* tail) {
  while (*tail != '\0') {
    sqlite3_stmt* raw = nullptr;
    const char* next = nullptr;
    const int code = sqlite3_prepare_v2(db.handle(), tail, -1, &raw, &next);
    const Statement rest(raw);
    if (code != SQLITE_OK || raw != nullptr) return true;
    if (next == tail) return false;
    tail = next;
  }
  return false;
}

}  // namespace

Error ExplainSqlError(const TraceDb& db, const std::string& sql, const std::string& message) {
  std::string text = CleanText(message, 200);
  if (text.find("not authorized") != std::string::npos ||
      text.find("prohibited") != std::string::npos) {
    return InvalidArgument(fmt::format(
        "only reading is allowed: send one SELECT (or WITH ... SELECT), for example {}", kExample));
  }
  if (text.find("no such column") != std::string::npos ||
      text.find("ambiguous column") != std::string::npos) {
    text += ColumnsOfNamedTables(db, sql);
  } else if (text.find("no such table") != std::string::npos) {
    text += fmt::format("; views with names resolved: {}; all: {}", kViews,
                        fmt::join(Tables(db), ", "));
  } else if (text.find("no such function") != std::string::npos) {
    text +=
        "; beside those of SQLite there are p50(x), p95(x), p99(x), percentile(x, p), "
        "histogram_percentile(histogram, p)";
  } else if (text.find("syntax error") != std::string::npos) {
    text += fmt::format("; the dialect is SQLite's, for example {}", kExample);
  }
  return InvalidArgument(text);
}

Result<Statement> PrepareOneSelect(const TraceDb& db, const std::string& sql) {
  if (sql.find('\0') != std::string::npos) return InvalidArgument("sql holds a zero byte");
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v2(db.handle(), sql.c_str(), -1, &raw, &tail);
  Statement statement(raw);
  if (code == SQLITE_TOOBIG) {
    return InvalidArgument("the query is too long: 100,000 characters are the most");
  }
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_INTERRUPT) {
    return db.LastError("preparing the query");
  }
  if (code != SQLITE_OK) return ExplainSqlError(db, sql, sqlite3_errmsg(db.handle()));
  if (raw == nullptr) return InvalidArgument(fmt::format("sql is empty; for example {}", kExample));
  if (HasMore(db, tail)) {
    return InvalidArgument("only one statement a call: send the others in calls of their own");
  }
  if (sqlite3_stmt_readonly(raw) == 0) return ExplainSqlError(db, sql, "not authorized");
  return statement;
}

}  // namespace gpuwhy
