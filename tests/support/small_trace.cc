// SPDX-License-Identifier: Apache-2.0
#include "tests/support/small_trace.h"

#include "schema/trace_db.h"

namespace gpuwhy {

void WriteSmallTrace(const std::string& path) {
  const auto db = TraceDb::OpenForWriting(path);
  GPUWHY_CHECK(db.ok());
  const Status filled = db.value().Execute(
      "BEGIN;"
      "INSERT INTO name (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
      "WHERE i "
      "< 500) SELECT 'function number ' || i FROM n;"
      "INSERT INTO process (capture_id, pid, name) VALUES (1, 7, 'train');"
      "INSERT INTO thread (process_id, tid) VALUES (1, 7);"
      "INSERT INTO api_call (start_ns, duration_ns, thread_id, name_id) SELECT id * 1000, id, 1, "
      "id "
      "FROM name;"
      "INSERT INTO latency (bucket_ns, width_ns, process_id, source, name_id, event_count, "
      "stored_count, sum_ns, min_ns, max_ns, histogram) SELECT 0, 1, 1, 'api_call', id, 1, 1, 1, "
      "1, 1, "
      "x'0501' FROM name;"
      "COMMIT");
  GPUWHY_CHECK(filled.ok());
  GPUWHY_CHECK(db.value().CreateIndexes().ok());
}

}  // namespace gpuwhy
