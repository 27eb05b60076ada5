// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ingero_file.h"

#include <sqlite3.h>

#include "schema/base/result.h"

namespace gpuwhy {
namespace {

std::string EventsTable(IngeroLayout layout) {
  const bool has_text_ids = layout == IngeroLayout::k09 || layout == IngeroLayout::kHead;
  std::string sql = std::string("CREATE TABLE events (id ") +
                    (has_text_ids ? "TEXT PRIMARY KEY" : "INTEGER PRIMARY KEY AUTOINCREMENT") +
                    ", timestamp INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL, "
                    "source INTEGER NOT NULL, op INTEGER NOT NULL, duration INTEGER NOT NULL, "
                    "gpu_id INTEGER NOT NULL DEFAULT 0, arg0 INTEGER NOT NULL DEFAULT 0, "
                    "arg1 INTEGER NOT NULL DEFAULT 0, ret_code INTEGER NOT NULL DEFAULT 0, "
                    "stack_hash INTEGER NOT NULL DEFAULT 0, stack_ips TEXT NOT NULL DEFAULT '', "
                    "cgroup_id INTEGER NOT NULL DEFAULT 0";
  if (layout != IngeroLayout::k08) {
    sql += ", node TEXT NOT NULL DEFAULT '', rank INTEGER, local_rank INTEGER, world_size INTEGER";
  }
  const bool has_comm = layout == IngeroLayout::kHead || layout == IngeroLayout::kMigrated;
  if (has_comm) sql += ", comm TEXT NOT NULL DEFAULT ''";
  return sql + ");";
}

constexpr const char* kTables = R"(
CREATE TABLE stack_traces (hash INTEGER PRIMARY KEY, ips TEXT NOT NULL, frames TEXT NOT NULL DEFAULT '');
CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL);
CREATE TABLE ops (source_id INTEGER NOT NULL, op_id INTEGER NOT NULL, name TEXT NOT NULL,
  description TEXT NOT NULL, PRIMARY KEY (source_id, op_id));
CREATE TABLE schema_info (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE system_snapshots (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL UNIQUE,
  cpu_pct REAL NOT NULL, mem_pct REAL NOT NULL, mem_avail INTEGER NOT NULL, swap_mb INTEGER NOT NULL,
  load_avg REAL NOT NULL);
CREATE TABLE process_names (pid INTEGER NOT NULL, name TEXT NOT NULL, seen_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (pid));
CREATE TABLE event_aggregates (bucket INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL DEFAULT 0, stored INTEGER NOT NULL DEFAULT 0,
  sum_dur INTEGER NOT NULL DEFAULT 0, min_dur INTEGER NOT NULL DEFAULT 0,
  max_dur INTEGER NOT NULL DEFAULT 0, sum_arg0 INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (bucket, source, op, pid));
CREATE TABLE cgroup_metadata (cgroup_id INTEGER PRIMARY KEY, container_id TEXT NOT NULL DEFAULT '',
  cgroup_path TEXT NOT NULL DEFAULT '', pod_name TEXT NOT NULL DEFAULT '', namespace TEXT NOT NULL DEFAULT '');
CREATE TABLE causal_chains (id TEXT PRIMARY KEY, detected_at INTEGER NOT NULL, severity TEXT NOT NULL,
  summary TEXT NOT NULL, root_cause TEXT NOT NULL, explanation TEXT NOT NULL,
  recommendations TEXT NOT NULL DEFAULT '', cuda_op TEXT NOT NULL DEFAULT '',
  cuda_p99_us INTEGER NOT NULL DEFAULT 0, cuda_p50_us INTEGER NOT NULL DEFAULT 0,
  tail_ratio REAL NOT NULL DEFAULT 0, timeline TEXT NOT NULL DEFAULT '');
CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, started_at INTEGER NOT NULL,
  stopped_at INTEGER NOT NULL DEFAULT 0, gpu_model TEXT NOT NULL DEFAULT '',
  gpu_driver TEXT NOT NULL DEFAULT '', cpu_model TEXT NOT NULL DEFAULT '',
  cpu_cores INTEGER NOT NULL DEFAULT 0, mem_total INTEGER NOT NULL DEFAULT 0,
  kernel TEXT NOT NULL DEFAULT '', os_release TEXT NOT NULL DEFAULT '', cuda_ver TEXT NOT NULL DEFAULT '',
  python_ver TEXT NOT NULL DEFAULT '', ingero_ver TEXT NOT NULL DEFAULT '',
  pid_filter TEXT NOT NULL DEFAULT '', flags TEXT NOT NULL DEFAULT '');
)";

constexpr const char* kNodeColumns = R"(
ALTER TABLE causal_chains ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN rank INTEGER;
ALTER TABLE sessions ADD COLUMN local_rank INTEGER;
ALTER TABLE sessions ADD COLUMN world_size INTEGER;
)";

constexpr const char* kHeadTables = R"(
CREATE TABLE event_aggregates_5s (bucket INTEGER NOT NULL, source INTEGER NOT NULL, op INTEGER NOT NULL,
  pid INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL DEFAULT 0, stored INTEGER NOT NULL DEFAULT 0,
  sum_dur INTEGER NOT NULL DEFAULT 0, min_dur INTEGER NOT NULL DEFAULT 0,
  max_dur INTEGER NOT NULL DEFAULT 0, sum_arg0 INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (bucket, source, op, pid));
CREATE TABLE annotations (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL,
  labels TEXT NOT NULL, pid INTEGER NOT NULL DEFAULT 0, start_time INTEGER NOT NULL DEFAULT 0,
  span_start INTEGER NOT NULL DEFAULT 0, span_end INTEGER NOT NULL DEFAULT 0,
  peer_uid INTEGER NOT NULL DEFAULT 0, peer_gid INTEGER NOT NULL DEFAULT 0,
  peer_pid INTEGER NOT NULL DEFAULT 0);
PRAGMA user_version = 10;
)";

const char* VersionOf(IngeroLayout layout) {
  switch (layout) {
    case IngeroLayout::k08:
      return "0.8";
    case IngeroLayout::k09:
      return "0.9";
    case IngeroLayout::kHead:
    case IngeroLayout::kMigrated:
      return "0.10";
  }
  return "";
}

}  // namespace

IngeroFile::IngeroFile(const std::string& path, IngeroLayout layout) : path_(path) {
  Execute(EventsTable(layout) + kTables);
  if (layout != IngeroLayout::k08) Execute(kNodeColumns);
  if (layout == IngeroLayout::kHead || layout == IngeroLayout::kMigrated) Execute(kHeadTables);
  Execute(std::string("INSERT INTO schema_info VALUES ('version', '") + VersionOf(layout) + "')");
}

void IngeroFile::Execute(const std::string& sql) const {
  sqlite3* db = nullptr;
  GPUWHY_CHECK(sqlite3_open(path_.c_str(), &db) == SQLITE_OK);
  char* message = nullptr;
  sqlite3_exec(db, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    std::fprintf(stderr, "%s: %s\n", message, sql.c_str());
    std::abort();
  }
  sqlite3_close(db);
}

}  // namespace gpuwhy
