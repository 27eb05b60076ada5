// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpuwhy {
namespace {

// A window of at most a quarter of the trace is read through the index.
constexpr int64_t kIndexShare = 4;

// The longest event of the table, from its roll-ups: how far before the window a row that reaches
// into it may start. Nothing when the table is not rolled up.
Result<std::optional<int64_t>> LongestEvent(const TraceDb& db, std::string_view table) {
  std::optional<int64_t> longest_ns;
  GPUWHY_RETURN_IF_ERROR(db.Query("SELECT max(max_ns) FROM latency WHERE source = ?", {table},
                                  [&](const Row& row) { longest_ns = row.OptionalInt(0); }));
  return longest_ns;
}

Result<std::string> TimeCondition(const TraceDb& db, const ScanRequest& request) {
  const Window& window = request.window;
  if (window.IsWholeTrace()) return std::string();
  const std::string overlap =
      fmt::format("start_ns < {} AND start_ns + duration_ns >= {}", window.end_ns, window.start_ns);
  const int64_t trace_ns = window.trace_end_ns - window.trace_start_ns;
  if (window.duration_ns() > trace_ns / kIndexShare) return overlap;
  GPUWHY_ASSIGN_OR_RETURN(const auto longest_ns, LongestEvent(db, request.table));
  if (!longest_ns || *longest_ns > trace_ns / kIndexShare) return overlap;
  return fmt::format("start_ns >= {} AND {}", window.start_ns - *longest_ns, overlap);
}

}  // namespace

Status Scan(const TraceDb& db, const ScanRequest& request,
            const std::function<void(const Row&)>& on_row) {
  GPUWHY_ASSIGN_OR_RETURN(std::string where, TimeCondition(db, request));
  const bool uses_index = where.starts_with("start_ns >=");
  if (!request.condition.empty()) {
    where += fmt::format("{}{}", where.empty() ? "" : " AND ", request.condition);
  }
  GPUWHY_ASSIGN_OR_RETURN(Statement statement,
                          db.Prepare(fmt::format("SELECT {} FROM {}{}{}{}", request.columns,
                                                 request.table, uses_index ? "" : " NOT INDEXED",
                                                 where.empty() ? "" : " WHERE ", where)));
  while (true) {
    GPUWHY_ASSIGN_OR_RETURN(const bool has_row, statement.Step());
    if (!has_row) return {};
    on_row(statement.row());
  }
}

std::string IdList(const std::vector<int64_t>& ids) {
  return fmt::format("{}", fmt::join(ids, ","));
}

}  // namespace gpuwhy
