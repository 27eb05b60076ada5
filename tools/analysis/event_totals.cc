// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/event_totals.h"

namespace gpuwhy {
namespace {

void Add(const Row& row, EventTotal& total) {
  total.event_count += row.Int(2);
  total.stored_count += row.Int(3);
  total.sum_ns += row.Int(4);
}

}  // namespace

int64_t EventTotals::Stored(const std::string& source) const {
  const auto it = by_source.find(source);
  return it == by_source.end() ? 0 : it->second.stored_count;
}

Result<EventTotals> LoadEventTotals(const TraceDb& db, const Window& window) {
  EventTotals totals;
  GPUWHY_RETURN_IF_ERROR(
      db.Query("SELECT source, process_id, event_count, stored_count, sum_ns FROM latency "
               "WHERE bucket_ns < ?2 AND bucket_ns + width_ns > ?1",
               {window.start_ns, window.end_ns}, [&](const Row& row) {
                 const std::string source(row.Text(0));
                 Add(row, totals.by_source[source]);
                 Add(row, totals.by_process[row.Int(1)][source]);
               }));
  return totals;
}

}  // namespace gpuwhy
