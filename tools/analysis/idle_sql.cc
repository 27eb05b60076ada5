// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/idle_sql.h"

#include <fmt/format.h>

#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

// The rows that make a timeline busy, as (g, s, e) within its span.
std::string BusyRows(const TraceFacts& facts, View view, const BusyTimeline& timeline) {
  const bool is_device = view == View::kDevice;
  std::string where =
      is_device ? fmt::format("gpu_id = {} AND kind <> 'sync' AND ", timeline.gpu_id) : "";
  if (!facts.scope().process_ids.empty()) {
    const std::string ids = IdList(facts.scope().process_ids);
    where += is_device ? fmt::format("process_id IN ({}) AND ", ids)
             : view == View::kQueue
                 ? fmt::format("process_id IN ({}) AND ", ids)
                 : fmt::format(
                       "thread_id IN (SELECT id FROM thread WHERE process_id IN ({})) "
                       "AND ",
                       ids);
  }
  return fmt::format(
      "SELECT {0} AS g, max(start_ns, {1}) AS s, min(start_ns + duration_ns, {2}) AS e FROM {3} "
      "WHERE {4}start_ns < {2} AND start_ns + duration_ns > {1} UNION ALL SELECT {0}, {2}, {2}",
      timeline.gpu_id, timeline.span.start_ns, timeline.span.end_ns, BusyTableOf(view), where);
}

}  // namespace

std::string GapSql(const TraceFacts& facts, View view, GapLimits limits) {
  std::string rows;
  const auto timelines = facts.Timelines();
  if (!timelines.ok()) return "";
  for (const BusyTimeline& timeline : *timelines.value()) {
    rows += rows.empty() ? "" : " UNION ALL ";
    rows += BusyRows(facts, view, timeline);
  }
  return fmt::format(
      "WITH c AS ({}), m AS (SELECT g, s, max(e) OVER (PARTITION BY g ORDER BY s, e) AS e FROM c), "
      "d AS (SELECT lead(s) OVER (PARTITION BY g ORDER BY s, e) - e AS gap_ns FROM m) SELECT "
      "count(*) AS gap_count, coalesce(sum(gap_ns), 0) AS idle_ns, max(gap_ns) AS longest_ns FROM "
      "d "
      "WHERE gap_ns BETWEEN {} AND {}",
      rows, limits.min_ns, limits.max_ns - 1);
}

std::string IdleSql(const TraceFacts& facts, const IdlePicture& picture) {
  return GapSql(facts, picture.view, {.min_ns = IsOfDevice(picture.view) ? 1 : kIdleApiGapNs});
}

std::string UnionSql(const std::string& rows_sql) {
  return fmt::format(
      "WITH r AS ({}), p AS (SELECT s, e, max(e) OVER (ORDER BY s, e ROWS BETWEEN UNBOUNDED "
      "PRECEDING AND 1 PRECEDING) AS before FROM r) SELECT count(*) AS row_count, "
      "coalesce(sum(max(0, "
      "e - max(s, coalesce(before, s)))), 0) AS covered_ns FROM p",
      rows_sql);
}

}  // namespace gpuwhy
