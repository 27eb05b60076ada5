// SPDX-License-Identifier: Apache-2.0
#include "collectors/foreign_tables.h"

#include <fmt/format.h>

namespace gpuwhy {
namespace {

constexpr size_t kMaxTables = 2000;  // Nsight Systems makes up to 150

}  // namespace

std::string QuotedIdentifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Result<ForeignTables> ForeignTables::Read(const TraceDb& db) {
  ForeignTables tables;
  GPUWHY_RETURN_IF_ERROR(db.Query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage != 0", {},
      [&](const Row& row) { tables.columns_.emplace(std::string(row.Text(0)), Columns()); }));
  if (tables.columns_.size() > kMaxTables) {
    return CorruptInput(fmt::format("{} has {} tables: no recorder makes so many", db.uri(),
                                    tables.columns_.size()));
  }
  for (auto& table : tables.columns_) {
    GPUWHY_RETURN_IF_ERROR(
        db.Query(fmt::format("PRAGMA table_info({})", QuotedIdentifier(table.first)), {},
                 [&](const Row& row) { table.second.emplace(row.Text(1), row.Text(2)); }));
  }
  return tables;
}

bool ForeignTables::Has(std::string_view table, std::string_view column) const {
  const auto it = columns_.find(table);
  return it != columns_.end() && it->second.contains(column);
}

std::string_view ForeignTables::TypeOf(std::string_view table, std::string_view column) const {
  const auto found = columns_.find(table);
  if (found == columns_.end()) return {};
  const auto type = found->second.find(column);
  return type == found->second.end() ? std::string_view() : std::string_view(type->second);
}

std::string ForeignTables::ColumnOr(std::string_view table, std::string_view column,
                                    std::string_view otherwise) const {
  return Has(table, column) ? QuotedIdentifier(column) : std::string(otherwise);
}

std::string ForeignTables::SelectList(std::string_view table,
                                      const std::vector<std::string_view>& columns) const {
  std::string list;
  for (const std::string_view column : columns)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", ColumnOr(table, column, "NULL"));
  return list;
}

std::vector<std::string> ForeignTables::Names() const {
  std::vector<std::string> names;
  names.reserve(columns_.size());
  for (const auto& [name, columns] : columns_)
    names.push_back(name);
  return names;
}

}  // namespace gpuwhy
