// SPDX-License-Identifier: Apache-2.0
#include "collectors/import_file.h"
#include "collectors/sha256.h"
#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/ingero_file.h"
#include "tests/support/temp_dir.h"

using namespace gpuwhy;
using Lines = std::vector<std::string>;

namespace {

// A database of the 0.8 layout with the given events, imported.
TraceDb ImportEvents(const std::string& values, const std::string& more_sql = "SELECT 1") {
  const TempDir dir;
  const IngeroFile file(dir.File("a.db"), IngeroLayout::k08);
  file.AddEvent("(timestamp, pid, tid, source, op, duration, arg0, arg1) VALUES " + values);
  file.Execute(more_sql);
  auto db = Imported(file.path());
  REQUIRE(db.ok());
  return std::move(db).value();
}

}  // namespace

TEST_CASE("ingero: API calls carry their start, switches and block I/O their end", "[ingero]") {
  const TraceDb db = ImportEvents(
      "(1000, 7, 7, 1, 3, 50, 0, 0), (2000, 7, 7, 3, 1, 300, 0, 7), (3000, 7, 8, 5, 1, 400, 8, 0), "
      "(4000, 7, 7, 7, 2, 500, 3, 99), (5000, 7, 7, 3, 3, 0, 4096, 0)");

  CHECK(OneRow(db, "SELECT start_ns, duration_ns FROM api_call") == "1000|50");
  CHECK(OneRow(db, "SELECT start_ns, duration_ns, reason, runnable_ns FROM off_cpu") ==
        "1700|300|unknown|");
  CHECK(Rows(db, "SELECT kind, start_ns, duration_ns, bytes, tid FROM host_events ORDER BY id") ==
        Lines{"block_read|2600|400|4096|8", "net_recv|3500|500|99|7", "page_alloc|5000|0|4096|7"});
  CHECK(OneRow(db, "SELECT start_ns, end_ns FROM capture") == "1000|5000");
}

TEST_CASE("ingero: a switch names a thread, and its process is found", "[ingero]") {
  const TraceDb db = ImportEvents(
      // 7 calls CUDA; 8 exits as a thread of 7; 9 and 10 are forked by 7, but only 10 allocates.
      "(1000, 7, 7, 1, 3, 50, 0, 0), (1100, 7, 7, 3, 7, 0, 0, 9), (1200, 7, 7, 3, 7, 0, 0, 10), "
      "(2000, 8, 8, 3, 1, 10, 0, 8), (2100, 9, 9, 3, 1, 10, 0, 9), (2200, 10, 10, 3, 1, 10, 0, "
      "10), "
      "(2300, 11, 11, 3, 1, 10, 0, 11), (3000, 7, 8, 3, 6, 0, 0, 0)",
      "INSERT INTO event_aggregates VALUES (0, 3, 3, 10, 5, 0, 0, 0, 0, 20480)");

  CHECK(Rows(db, "SELECT tid, pid FROM off_cpus ORDER BY tid") ==
        Lines{"8|7", "9|7", "10|10", "11|11"});
  CHECK(OneRow(db,
               "SELECT q.pid, p.start_ns FROM process p JOIN process q ON q.id = p.parent_id WHERE "
               "p.pid = 10") == "7|1200");
  CHECK(LossCount(db, "ingero_thread_assumed") == 1);
  CHECK(
      Rows(db, "SELECT kind, other_tid FROM host_events WHERE kind != 'page_alloc' ORDER BY id") ==
      Lines{"fork|9", "fork|10", "thread_exit|"});
}

TEST_CASE("ingero: a pid used again is another process", "[ingero]") {
  const TraceDb db = ImportEvents(
      "(1000, 5, 5, 3, 7, 0, 0, 7), (1100, 7, 7, 1, 3, 50, 0, 0), (1200, 7, 7, 3, 6, 0, 0, 0), "
      "(1300, 5, 5, 3, 7, 0, 0, 7), (1400, 7, 7, 1, 3, 50, 0, 0)");

  CHECK(Rows(db,
             "SELECT p.pid, p.start_ns, p.end_ns, count(c.id) FROM process p JOIN thread t ON "
             "t.process_id = p.id JOIN api_call c ON c.thread_id = t.id WHERE p.pid = 7 GROUP BY "
             "p.id ORDER BY p.id") == Lines{"7|1000|1200|1", "7|1300||1"});
}

TEST_CASE("ingero: a driver call inside a runtime call is its child", "[ingero]") {
  const TraceDb db = ImportEvents(
      "(1000, 7, 7, 4, 1, 50, 0, 0), (1000, 7, 7, 1, 3, 60, 0, 0), (1070, 7, 7, 4, 1, 5, 0, 0), "
      "(2000, 7, 7, 1, 1, 100, 64, 0), (2010, 7, 8, 4, 5, 10, 64, 0), (2020, 7, 7, 4, 5, 200, 64, "
      "0)");

  CHECK(Rows(db,
             "SELECT c.name, c.start_ns, p.text FROM api_calls c LEFT JOIN api_call pc ON pc.id = "
             "c.parent_id LEFT JOIN name p ON p.id = pc.name_id ORDER BY c.start_ns, c.name") ==
        Lines{"cuLaunchKernel|1000|cudaLaunchKernel", "cudaLaunchKernel|1000|",
              "cuLaunchKernel|1070|", "cudaMalloc|2000|", "cuMemAlloc|2010|", "cuMemAlloc|2020|"});
}

TEST_CASE("ingero: arguments become bytes, direction and stream where they mean that", "[ingero]") {
  const TraceDb db = ImportEvents(
      "(1, 7, 7, 1, 7, 1, 4096, 1), (2, 7, 7, 1, 4, 1, 10, 5), (3, 7, 7, 1, 10, 1, 64, 2), (4, 7, "
      "7, "
      "1, 11, 1, 32, 0), (5, 7, 7, 1, 5, 1, 3, 0), (6, 7, 7, 1, 3, 1, 999, 0), (7, 7, 7, 1, 3, 1, "
      "999, 17), (8, 7, 7, 1, 2, 1, 999, 0), (9, 7, 7, 1, 2, 1, 999, 512)");

  CHECK(Rows(db, "SELECT name, bytes, copy_kind, stream FROM api_calls ORDER BY start_ns") ==
        Lines{"cudaMemcpyAsync|4096|H2D|", "cudaMemcpy|10||", "cudaMemcpy2DAsync||D2H|",
              "cudaMemcpyPeer|32|P2P|", "cudaStreamSync|||3", "cudaLaunchKernel|||",
              "cudaLaunchKernel|||17", "cudaFree|||", "cudaFree|512||"});
  CHECK(LossCount(db, "ingero_copy_size_unknown") == 1);
}

TEST_CASE("ingero: graph calls and unknown operations are kept although no table names them",
          "[ingero]") {
  const TraceDb db = ImportEvents(
      "(201, 7, 7, 8, 4, 100, 0, 0), (202, 7, 7, 4, 1, 5, 0, 0), (203, 7, 7, 1, 99, 5, 0, 0), "
      "(204, 7, 7, 3, 77, 5, 0, 0), (205, 7, 7, 3, 78, 5, 0, 0), (206, 7, 7, 42, 1, 5, 0, 0)",
      "INSERT INTO ops VALUES (3, 77, 'numa_migrate', ''), (1, 3, 'lies', '')");

  CHECK(Rows(db, "SELECT name FROM api_calls ORDER BY start_ns") ==
        Lines{"cudaGraphLaunch", "cuLaunchKernel", "CUDA op 99"});
  CHECK(OneRow(db, "SELECT count(*) FROM api_call WHERE parent_id IS NOT NULL") == "1");
  CHECK(Rows(db, "SELECT kind, detail FROM host_events ORDER BY start_ns") ==
        Lines{"other|numa_migrate", "other|HOST op 78", "other|source op 1"});
  CHECK(LossCount(db, "ingero_unknown_op") == 4);
}

TEST_CASE("ingero: damaged events are skipped and counted", "[ingero]") {
  const TraceDb db = ImportEvents(
      "(1000, 7, 7, 1, 3, -50, 0, 0), ('x', 7, 7, 1, 3, 5, 0, 0), (-5, 7, 7, 1, 3, 5, 0, 0), "
      "(9223372036854775807, 7, 7, 1, 3, 5, 0, 0), (2000, 7, 7, 3, 1, 9000, 0, 0)");

  CHECK(Rows(db, "SELECT start_ns, duration_ns FROM api_call") == Lines{"1000|0"});
  CHECK(OneRow(db, "SELECT count(*) FROM off_cpu") == "0");
  CHECK(LossCount(db, "ingero_negative_duration") == 1);
  CHECK(LossCount(db, "ingero_damaged_event") == 4);
}

TEST_CASE("ingero: stacks are read from the outside in, and bad ones are counted", "[ingero]") {
  const TempDir dir;
  const IngeroFile file(dir.File("a.db"), IngeroLayout::k08);
  file.Execute(R"(INSERT INTO stack_traces VALUES
    (1, '', '[{"pf":"m.py","pfn":"inner","pl":9},{"pf":"m.py","pfn":"outer","pl":1},{"s":"_ZN1a1bEv+0x1f","f":"x.so"},{"i":"0x7f00","f":"y.so"}]'),
    (2, '', '[{"s":'), (3, '["0x1","0x2"]', ''), (4, '', '[7]'), (5, '', ''))");
  file.AddEvent(
      "(timestamp, pid, tid, source, op, duration, stack_hash, stack_ips) VALUES (1, 7, 7, 1, 3, "
      "1, "
      "1, ''), (2, 7, 7, 1, 3, 1, 2, ''), (3, 7, 7, 1, 3, 1, 3, ''), (4, 7, 7, 1, 3, 1, 4, ''), "
      "(5, 7, "
      "7, 1, 3, 1, 99, ''), (6, 7, 7, 1, 3, 1, 0, '[\"0xabc\"]'), (7, 7, 7, 1, 3, 1, 5, '')");

  const auto db = Imported(file.path());
  REQUIRE(db.ok());

  CHECK(Rows(db.value(),
             "WITH RECURSIVE up(depth, parent_id, frame_id) AS (SELECT 0, parent_id, frame_id FROM "
             "callsite WHERE id = (SELECT callsite_id FROM api_call WHERE start_ns = 1) UNION ALL "
             "SELECT depth + 1, s.parent_id, s.frame_id FROM up JOIN callsite s ON s.id = "
             "up.parent_id) SELECT kind, function_name, module, file, line FROM up JOIN frame f ON "
             "f.id = frame_id ORDER BY depth") ==
        Lines{"native|a::b()|x.so||", "native|0x7f00|y.so||", "python|inner||m.py|9",
              "python|outer||m.py|1"});
  CHECK(Rows(db.value(), "SELECT start_ns FROM api_call WHERE callsite_id IS NULL ORDER BY 1") ==
        Lines{"2", "4", "5", "7"});
  CHECK(LossCount(db.value(), "ingero_stack_damaged") == 2);
  CHECK(LossCount(db.value(), "ingero_stack_missing") == 2);
}

TEST_CASE("ingero: aggregates that hold less than the rows are replaced by a bound", "[ingero]") {
  const TraceDb db = ImportEvents(
      "(1000, 7, 7, 1, 3, 50, 0, 0), (2000, 7, 7, 1, 3, 70, 0, 0), (3000, 7, 7, 1, 1, 10, 64, 0), "
      "(4000, 7, 7, 4, 5, 10, 64, 0)",
      // launch: 10 counted, none stored; malloc: 5 counted, 4 stored, of which 3 rows are missing.
      "INSERT INTO event_aggregates VALUES (0, 1, 3, 7, 10, 0, 900, 60, 200, 0), (0, 1, 1, 7, 5, "
      "4, "
      "80, 5, 30, 640)");

  CHECK(Rows(db,
             "SELECT name, event_count, stored_count, sum_ns, min_ns, max_ns, sum_bytes, width_ns "
             "FROM "
             "latencies ORDER BY name") == Lines{"cuMemAlloc|1|1|10|10|10|64|60000000000",
                                                 "cudaLaunchKernel|12|2|1020|50|200|0|60000000000",
                                                 "cudaMalloc|5|1|80|5|30|640|60000000000"});
  CHECK(LossCount(db, "ingero_aggregates_inconsistent") == 1);
  CHECK(LossCount(db, "ingero_rows_missing") == 3);
  CHECK(LossCount(db, "ingero_selective_storage") == 14);
  CHECK(OneRow(db, "SELECT is_selective FROM capture") == "1");
}

TEST_CASE("ingero: a file that stored everything is not called selective", "[ingero]") {
  const TraceDb db =
      ImportEvents("(1000, 7, 7, 1, 3, 50, 0, 0)",
                   "INSERT INTO event_aggregates VALUES (0, 1, 3, 7, 1, 1, 50, 50, 50, 0)");

  CHECK(OneRow(db, "SELECT is_selective FROM capture") == "0");
  CHECK(Rows(db, "SELECT name FROM loss") == Lines{});
}

TEST_CASE("ingero: the newest layout brings names, ranks, summaries and annotations", "[ingero]") {
  const TempDir dir;
  const IngeroFile file(dir.File("a.db"), IngeroLayout::kHead);
  file.AddEvent(
      "(id, node, timestamp, pid, tid, source, op, duration, arg0, arg1, comm, rank, world_size) "
      "VALUES ('n:1', 'n', 1000, 7, 7, 1, 3, 50, 0, 3, 'train', 2, 8), ('n:2', 'n', 2000000000, 7, "
      "8, "
      "4, 1, 50, 0, 0, 'worker', 2, 8), ('n:3', 'n', 2100000000, 8, 8, 3, 1, 10, 0, 55, 'other', "
      "2, "
      "8), ('n:4', 'n', 2200000000, 7, 0, 3, 20, 0, 40, 163840, '', 2, 8), ('n:5', 'n', "
      "2300000000, 8, "
      "3, 3, 21, 0, 5, 1000, '', 2, 8)");
  file.Execute(
      "INSERT INTO annotations (timestamp, labels, pid, span_start, span_end) VALUES (5, "
      "'{\"epoch\":\"1\"}', 7, 100, 400), (900, '{\"note\":\"x\"}', 0, 0, 0);"
      "INSERT INTO event_aggregates_5s VALUES (0, 1, 3, 7, 1000, 0, 0, 0, 0, 0)");

  const auto imported = Imported(file.path());
  REQUIRE(imported.ok());
  const TraceDb& db = imported.value();

  CHECK(OneRow(db, "SELECT host, rank, world_size, tool_version FROM capture") ==
        "n|2|8|ingero 0.10");
  CHECK(OneRow(db, "SELECT name, rank FROM process WHERE pid = 7") == "train|2");
  CHECK(Rows(db, "SELECT tid, name FROM thread WHERE tid IN (7, 8) ORDER BY tid") ==
        Lines{"7|train", "8|worker"});
  CHECK(OneRow(db, "SELECT pid, tid, preemptor_tid FROM off_cpus") == "7|8|");
  CHECK(
      Rows(db,
           "SELECT source, name, tid, event_count, stored_count, sum_ns, sum_bytes, bucket_ns FROM "
           "latencies WHERE stored_count = 0 ORDER BY source") ==
      Lines{"host_event|page_alloc||40|0|0|163840|2000000000",
            "off_cpu|unknown|8|5|0|1000|0|2000000000"});
  CHECK(Rows(db, "SELECT name, category, pid, start_ns, duration_ns FROM ranges") ==
        Lines{"{\"epoch\":\"1\"}|annotation|7|100|300"});
  CHECK(Rows(db, "SELECT kind, detail, start_ns FROM host_events") ==
        Lines{"other|{\"note\":\"x\"}|900"});
  CHECK(LossCount(db, "ingero_trimmed") == 0);
}

TEST_CASE("ingero: an old file that a newer program altered is read by its columns", "[ingero]") {
  const TempDir dir;
  const IngeroFile file(dir.File("a.db"), IngeroLayout::kMigrated);
  file.AddEvent(
      "(timestamp, pid, tid, source, op, duration, comm) VALUES (1000, 7, 7, 1, 3, 50, 'train')");

  const auto db = Imported(file.path());
  REQUIRE(db.ok());

  CHECK(OneRow(db.value(),
               "SELECT tool_version, json_extract(facts, '$.id_type'), host FROM capture") ==
        "ingero 0.10|integer|");
  CHECK(OneRow(db.value(), "SELECT process, name FROM api_calls") == "train|cudaLaunchKernel");
}

TEST_CASE("ingero: a file merged from nodes keeps their processes apart", "[ingero]") {
  const TempDir dir;
  const IngeroFile file(dir.File("a.db"), IngeroLayout::k09);
  file.AddEvent(
      "(id, node, timestamp, pid, tid, source, op, duration) VALUES ('b:1', 'b', 1000, 7, 7, 1, 3, "
      "50), ('a:1', 'a', 2000, 7, 7, 1, 3, 60), ('a:9', 'a', 3000, 9, 9, 1, 3, 70)");
  file.Execute(
      "INSERT INTO process_names VALUES (7, 'jbd2', 0), (9, 'train', 0);"
      "INSERT INTO causal_chains (id, detected_at, severity, summary, root_cause, explanation, "
      "node) "
      "VALUES ('b:x', 5, 'LOW', 's', 'r', 'e', 'b');"
      "INSERT INTO sessions (started_at, gpu_model, node) VALUES (1, 'T4', 'a'), (1, 'L4', 'b')");

  const auto imported = Imported(file.path());
  REQUIRE(imported.ok());
  const TraceDb& db = imported.value();

  CHECK(
      Rows(db,
           "SELECT c.host, p.pid, p.name, a.duration_ns FROM api_calls a JOIN process p ON p.id = "
           "a.process_id JOIN capture c ON c.id = p.capture_id ORDER BY a.start_ns") ==
      Lines{"b|7||50", "a|7||60", "a|9|train|70"});
  CHECK(
      Rows(db, "SELECT c.host, g.name FROM gpu g JOIN capture c ON c.id = capture_id ORDER BY 1") ==
      Lines{"a|T4", "b|L4"});
  CHECK(OneRow(db, "SELECT c.host FROM foreign_finding f JOIN capture c ON c.id = capture_id") ==
        "b");
  CHECK(LossCount(db, "ingero_names_ambiguous") == 2);
  CHECK(LossCount(db, "ingero_trimmed") == 7);
}

TEST_CASE("ingero: containers, loads and sessions that never ended", "[ingero]") {
  const TraceDb db = ImportEvents(
      "(1000, 7, 7, 1, 3, 50, 0, 0)",
      "UPDATE events SET cgroup_id = 5; INSERT INTO cgroup_metadata VALUES (5, 'abc123', '/x', '', "
      "'');"
      "INSERT INTO system_snapshots (timestamp, cpu_pct, mem_pct, mem_avail, swap_mb, load_avg) "
      "VALUES "
      "(1, 0.0, 50, 100, 2, 1.5), (2, 42.5, 50, 100, 2, 1.5);"
      "INSERT INTO sessions (started_at, cpu_cores, mem_total, gpu_model, flags) VALUES (9, 4, 10, "
      "'odd, model', 'record-all')");

  CHECK(OneRow(db, "SELECT container FROM process WHERE pid = 7") == "abc123");
  CHECK(
      Rows(
          db,
          "SELECT c.name, v.time_ns, v.value FROM counter c JOIN counter_value v ON v.counter_id = "
          "c.id WHERE v.time_ns = 2 OR c.name = 'system.cpu_pct' ORDER BY c.name") ==
      Lines{"system.cpu_pct|2|42.5", "system.load_avg|2|1.5",
            "system.mem_available_bytes|2|104857600.0", "system.mem_used_pct|2|50.0",
            "system.swap_used_bytes|2|2097152.0"});
  CHECK(OneRow(db,
               "SELECT cpu_count, memory_bytes, is_selective, json_type(facts, '$.session_end_ns') "
               "FROM capture") == "4|10485760|0|null");
  CHECK(OneRow(db, "SELECT name, memory_bytes FROM gpu") == "odd, model|");
}

TEST_CASE("ingero: an events view that never ends is not run", "[ingero]") {
  const TempDir dir;
  const IngeroFile file(dir.File("a.db"), IngeroLayout::k08);
  file.Execute(
      "DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE bomb(timestamp) AS (SELECT 1 UNION "
      "ALL "
      "SELECT timestamp + 1 FROM bomb) SELECT timestamp, 1 AS pid, 1 AS tid, 1 AS source, 3 AS op, "
      "1 "
      "AS duration, 0 AS arg0, 'stack_hash' AS x FROM bomb");

  const auto db = Imported(file.path());

  REQUIRE_FALSE(db.ok());
  CHECK(db.error().code == ErrorCode::kCorruptInput);
}

TEST_CASE("ingero: hostile text goes through without harm", "[ingero]") {
  const std::string esc = "x'1b5b33316d'";  // ESC [31m
  const TraceDb db = ImportEvents("(1000, 7, 7, 1, 3, 50, 0, 0)",
                                  "INSERT INTO process_names VALUES (7, CAST(" + esc +
                                      " AS TEXT), 0); UPDATE schema_info SET value "
                                      "= CAST(x'ff1b' AS TEXT); INSERT INTO sessions (started_at, "
                                      "cpu_model, gpu_model) VALUES (1, "
                                      "CAST(x'c328' AS TEXT), CAST(" +
                                      esc +
                                      " AS TEXT)); INSERT INTO causal_chains (id, detected_at, "
                                      "severity, summary, root_cause, explanation) VALUES ('a', 1, "
                                      "'HIGH', CAST(zeroblob(1048576) AS "
                                      "TEXT), '', '')");

  CHECK(OneRow(db, "SELECT json_valid(facts), tool_version FROM capture") ==
        "1|ingero \xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(OneRow(db, "SELECT name FROM process WHERE pid = 7") == "\x1b[31m");
  CHECK(OneRow(db, "SELECT name FROM gpu") == "\xEF\xBF\xBD[31m");
}

TEST_CASE("ingero: stopping an import leaves the database as it was", "[ingero]") {
  const TempDir dir;
  const IngeroFile file(dir.File("a.db"), IngeroLayout::k08);
  file.AddEvent(
      "(timestamp, pid, tid, source, op, duration) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
      "SELECT i "
      "+ 1 FROM n WHERE i < 20000) SELECT i, 7, 7, 1, 3, 1 FROM n");
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  std::stop_source stop;

  const auto report = ImportFile(
      db.value(), file.path(),
      {.stop = stop.get_token(), .progress = [&](uint64_t, uint64_t) { stop.request_stop(); }});

  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::kCancelled);
  CHECK(OneRow(db.value(), "SELECT count(*) FROM capture") == "0");
  CHECK(OneRow(db.value(), "SELECT count(*) FROM api_call") == "0");
}
