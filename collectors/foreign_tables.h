// SPDX-License-Identifier: Apache-2.0
// Which tables and columns another program's SQLite file has: layouts change between versions, and
// version numbers lie. Immutable; any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

class ForeignTables {
 public:
  // Only real tables count: a view in the place of a table could run code of its own.
  static Result<ForeignTables> Read(const TraceDb& db);

  bool Has(std::string_view table) const { return columns_.contains(table); }
  bool Has(std::string_view table, std::string_view column) const;
  // As declared, for example "TEXT"; empty when there is no such column.
  std::string_view TypeOf(std::string_view table, std::string_view column) const;
  // `column` when the table has it, else `otherwise`: an expression for a select list.
  std::string ColumnOr(std::string_view table, std::string_view column,
                       std::string_view otherwise) const;
  // A select list of these columns, NULL for those that the table lacks.
  std::string SelectList(std::string_view table,
                         const std::vector<std::string_view>& columns) const;
  std::vector<std::string> Names() const;

 private:
  using Columns = std::map<std::string, std::string, std::less<>>;  // type by name
  std::map<std::string, Columns, std::less<>> columns_;
};

// `name` as an identifier in SQL, whatever it holds.
std::string QuotedIdentifier(std::string_view name);

}  // namespace gpuwhy
