// SPDX-License-Identifier: Apache-2.0
#include "tools/support/foreign_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

std::string Their(const ForeignVerdict& verdict) {
  if (verdict.p99_ns == 0) return CleanText(verdict.cause, 40);
  return fmt::format("p99 {}, {:.1f}x", FormatDuration(verdict.p99_ns), verdict.tail_ratio);
}

}  // namespace

Table ForeignTable(const std::vector<ForeignVerdict>& verdicts, size_t limit) {
  Table table{.key = "other_tools",
              .title = "Conclusions of other tools, with our verdict",
              .columns = {{.key = "tool", .label = "by"},
                          {.key = "severity", .label = "theirs"},
                          {.key = "operation", .label = "operation"},
                          {.key = "finding_count", .label = "n", .unit = Unit::kCount},
                          {.key = "claim", .label = "claim"},
                          {.key = "verdict", .label = "our verdict"},
                          {.key = "reason", .label = "because"},
                          {.key = "row", .label = "row"}},
              .total_rows = static_cast<int64_t>(verdicts.size()),
              .more = "get_causal_chains lists them"};
  for (const ForeignVerdict& verdict : verdicts) {
    if (table.rows.size() >= limit) break;
    const bool is_same = std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return std::get<std::string>(row[6]) == verdict.reason;
    });
    table.rows.push_back({verdict.tool, verdict.severity, verdict.operation, verdict.finding_count,
                          Their(verdict), std::string(NameOf(verdict.verdict)),
                          is_same ? std::string("same calls") : verdict.reason,
                          verdict.row_ids.empty() ? std::string() : verdict.row_ids.front()});
  }
  return table;
}

}  // namespace gpuwhy
