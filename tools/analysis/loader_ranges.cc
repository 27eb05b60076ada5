// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/loader_ranges.h"

#include <fmt/format.h>

#include "tools/analysis/idle_sql.h"
#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

// Ends at least this part of the time that the feeding thread waited.
constexpr int kWorkerShare = 50;

Result<std::vector<int64_t>> LoaderNames(const TraceDb& db) {
  std::vector<int64_t> ids;
  GPUWHY_RETURN_IF_ERROR(db.Query("SELECT id, text FROM name", {}, [&](const Row& row) {
    if (IsDataLoaderName(row.Text(1))) ids.push_back(row.Int(0));
  }));
  return ids;
}

Result<LoaderTime> FromRanges(const TraceFacts& facts, const IdlePicture& picture) {
  LoaderTime loader{.thread_id = picture.feeder_thread_id};
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

// Threads of the processes that the feeding process has started.
std::string WorkerThreads(const IdlePicture& picture) {
  return fmt::format(
      "(SELECT t.id FROM thread t JOIN process p ON p.id = t.process_id WHERE p.parent_id = {})",
      picture.feeder_process_id);
}

Result<LoaderTime> FromHandOvers(const TraceFacts& facts, const IdlePicture& picture) {
  LoaderTime loader{.is_hand_over = true,
                    .thread_id = picture.feeder_thread_id,
                    .name = "waits that worker processes ended"};
  const Window& window = facts.window();
  const std::string where = fmt::format(
      "FROM off_cpu NOT INDEXED WHERE thread_id = {} AND reason <> 'preempted' AND "
      "waker_thread_id IN {} AND start_ns < {} AND start_ns + duration_ns > {}",
      loader.thread_id, WorkerThreads(picture), window.end_ns, window.start_ns);
  const std::string rows =
      fmt::format("SELECT max(start_ns, {}) AS s, min(start_ns + duration_ns, {}) AS e {}",
                  window.start_ns, window.end_ns, where);
  loader.sql = UnionSql(rows);
  std::vector<Interval> waits;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(rows, {}, [&](const Row& row) {
    waits.push_back({row.Int(0), row.Int(1)});
  }));
  // A helper that once sent a word is no worker.
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      fmt::format("WITH w AS (SELECT waker_thread_id AS waker, duration_ns {}) SELECT process_id "
                  "FROM w JOIN thread t ON t.id = waker GROUP BY 1 HAVING sum(duration_ns) >= "
                  "(SELECT sum(duration_ns) FROM w) / {}",
                  where, kWorkerShare),
      {}, [&](const Row& row) { loader.worker_ids.push_back(row.Int(0)); }));
  loader.range_count = static_cast<int64_t>(waits.size());
  const Intervals waited = Normalize(std::move(waits));
  loader.range_ns = Length(waited);
  loader.idle_ns = Length(Intersect(waited, picture.idle));
  loader.is_known = loader.range_count > 0;
  return loader;
}

}  // namespace

Result<LoaderTime> LoaderTimeOf(const TraceFacts& facts, const IdlePicture& picture) {
  if (picture.feeder_thread_id == 0) return LoaderTime{};
  if (facts.Has(Collector::kRange)) return FromRanges(facts, picture);
  const bool sees_wake_ups = facts.Has(Collector::kOffCpu) && picture.feeder_process_id != 0;
  return sees_wake_ups ? FromHandOvers(facts, picture) : LoaderTime{};
}

}  // namespace gpuwhy
