// SPDX-License-Identifier: Apache-2.0
#include "tools/support/tables.h"

#include <algorithm>
#include <utility>

namespace gpuwhy {
namespace {

bool IsEmptyCell(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty();
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer == 0;
  if (const auto* real = std::get_if<double>(&value)) return *real == 0;
  return true;
}

}  // namespace

void DropEmptyColumns(Table& table) {
  for (size_t i = table.columns.size(); i-- > 0;) {
    const bool is_empty = std::all_of(table.rows.begin(), table.rows.end(),
                                      [&](const auto& row) { return IsEmptyCell(row[i]); });
    if (!is_empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows)
      row.erase(row.begin() + at);
  }
}

void KeepRows(Table& table, int64_t limit, std::string more) {
  const auto total = static_cast<int64_t>(table.rows.size());
  if (total <= limit) return;
  table.rows.resize(static_cast<size_t>(limit));
  table.total_rows = total;
  table.more = std::move(more);
}

}  // namespace gpuwhy
