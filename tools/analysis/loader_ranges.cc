// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/loader_ranges.h"

#include <fmt/format.h>

#include "tools/analysis/idle_sql.h"
#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

Result<std::vector<int64_t>> LoaderNames(const TraceDb& db) {
  std::vector<int64_t> ids;
  GPUWHY_RETURN_IF_ERROR(db.Query("SELECT id, text FROM name", {}, [&](const Row& row) {
    if (IsDataLoaderName(row.Text(1))) ids.push_back(row.Int(0));
  }));
  return ids;
}

}  // namespace

Result<LoaderTime> LoaderTimeOf(const TraceFacts& facts, const IdlePicture& picture) {
  LoaderTime loader{.thread_id = picture.feeder_thread_id};
  if (!facts.Has(Collector::kRange) || loader.thread_id == 0) return loader;
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<int64_t> names, LoaderNames(facts.db()));
  const std::string where = fmt::format(
      "FROM range NOT INDEXED WHERE thread_id = {} AND name_id IN ({}) AND start_ns < {} AND "
      "start_ns + duration_ns > {}",
      loader.thread_id, IdList(names), facts.window().end_ns, facts.window().start_ns);
  loader.sql =
      UnionSql(fmt::format("SELECT max(start_ns, {}) AS s, min(start_ns + duration_ns, {}) AS e {}",
                           facts.window().start_ns, facts.window().end_ns, where));
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(loader.sql, {}, [&](const Row& row) {
    loader.range_count = row.Int(0);
    loader.range_ns = row.Int(1);
  }));
  loader.is_known = loader.range_count > 0;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      fmt::format("SELECT id, (SELECT text FROM name WHERE name.id = name_id) {} ORDER BY "
                  "duration_ns DESC LIMIT 1",
                  where),
      {}, [&](const Row& row) {
        loader.longest_id = row.Int(0);
        loader.name = row.Text(1);
      }));
  GPUWHY_ASSIGN_OR_RETURN(const TraceFacts::Totals totals, facts.Sum());
  loader.idle_ns = totals.class_ns[static_cast<size_t>(IdleClass::kDataLoader)];
  return loader;
}

}  // namespace gpuwhy
