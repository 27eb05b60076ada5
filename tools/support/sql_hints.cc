// SPDX-License-Identifier: Apache-2.0
#include "tools/support/sql_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "schema/base/text.h"
#include "schema/embedded.h"

namespace gpuwhy {
namespace {

constexpr size_t kMaxTables = 3;

bool IsWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !IsWordPart(text[at - 1]);
    const size_t end = at + word.size();
    if (starts && (end == text.size() || !IsWordPart(text[end]))) return true;
  }
  return false;
}

std::vector<std::string_view> TablesIn(std::string_view sql) {
  std::vector<std::string_view> tables;
  for (const auto& files : {EmbeddedViews(), EmbeddedTables()}) {
    for (const EmbeddedFile& file : files) {
      if (tables.size() < kMaxTables && HasWord(sql, file.name)) tables.push_back(file.name);
    }
  }
  return tables;
}

std::string ColumnsOf(const TraceDb& db, std::string_view table) {
  std::string columns;
  const Status listed =
      db.Query("SELECT name FROM pragma_table_info(?)", {table}, [&](const Row& row) {
        columns += fmt::format("{}{}", columns.empty() ? "" : ", ", row.Text(0));
      });
  return listed.ok() ? fmt::format("{} has {}", table, columns) : std::string();
}

}  // namespace

Error ExplainSqlError(const TraceDb& db, const std::string& sql) {
  const std::string message = CleanText(sqlite3_errmsg(db.handle()), 200);
  if (message.find("not authorized") != std::string::npos ||
      message.find("prohibited") != std::string::npos) {
    return InvalidArgument("only SELECT is allowed: traces are read-only");
  }
  std::string hint;
  if (message.find("no such column") != std::string::npos) {
    for (const std::string_view table : TablesIn(sql))
      hint += "; " + ColumnsOf(db, table);
  }
  if (hint.empty()) hint = fmt::format("; {}", kTablesHint);
  return InvalidArgument(message + hint);
}

}  // namespace gpuwhy
