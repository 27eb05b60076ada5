// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "collectors/nsys/call_rows.h"
#include "collectors/nsys/copy_names.h"
#include "collectors/nsys/range_rows.h"
#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"

using namespace gpuwhy;
using Lines = std::vector<std::string>;

namespace {

// Process 7 with threads 7 and 8, process 9 with thread 9: PID << 24 | TID.
const std::string k7 = "117440519", k8 = "117440520", k9 = "150994953";
const std::string kPid7 = "117440512", kPid9 = "150994944";

const std::string kTables =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.2.1'),"
    "('EXPORT_SCHEMA_VERSION', '3.25.0');"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1000000);"
    "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cuLaunchKernel'),"
    "(3, 'void gemm<float>(int)'), (4, 'gemm'), (5, 'main'), (6, '/bin/train'), (7, 'poll'),"
    "(8, 'loader');";
const std::string kRuntime =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId "
    "INTEGER);";
const std::string kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName "
    "INTEGER, shortName INTEGER, graphNodeId INTEGER);";
const std::string kNvtx =
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, "
    "domainId INTEGER, text TEXT, textId INTEGER);";

TraceDb ImportExport(const std::string& sql) {
  const TempDir dir;
  MakeSqliteFile(dir.File("a.sqlite"), kTables + sql);
  auto db = Imported(dir.File("a.sqlite"));
  INFO((db.ok() ? "" : db.error().message));
  REQUIRE(db.ok());
  return std::move(db).value();
}

}  // namespace

TEST_CASE("nsys: times count from the session's start, names lose the version of the header",
          "[nsys]") {
  const TraceDb db = ImportExport(kRuntime +
                                  "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
                                  "(10, 30, 0, " +
                                  k7 +
                                  ", 5, 1, 0, NULL), "
                                  "(12, 20, 1, " +
                                  k7 +
                                  ", 5, 2, 1, NULL), "
                                  "(40, 41, 1, " +
                                  k8 + ", 6, 2, 0, NULL)");

  CHECK(Rows(db,
             "SELECT name, start_ns, duration_ns, pid, tid, correlation_id, return_code, "
             "parent_id FROM api_calls ORDER BY start_ns") ==
        Lines{"cudaLaunchKernel|1000010|20|7|7|5|0|", "cuLaunchKernel|1000012|8|7|7|5|1|1",
              "cuLaunchKernel|1000040|1|7|8|6|0|"});
  CHECK(OneRow(db, "SELECT kind, clock_offset_ns, tool_version FROM capture") ==
        "nsys|1000000|Nsight Systems 2026.2.1");
}

TEST_CASE("nsys: only a version of four digits or more is cut off", "[nsys]") {
  CHECK(nsys::WithoutApiVersion("cudaStreamGetCaptureInfo_v2_v11030") ==
        "cudaStreamGetCaptureInfo_v2");
  CHECK(nsys::WithoutApiVersion("cuMemAlloc_v2") == "cuMemAlloc_v2");
  CHECK(nsys::WithoutApiVersion("my_v1000") == "my_v1000");
  CHECK(nsys::WithoutApiVersion("cudaX_v") == "cudaX_v");
}

TEST_CASE("nsys: equal correlation ids of two processes are two launches", "[nsys]") {
  const TraceDb db = ImportExport(
      kRuntime + kKernels + "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, " + k7 +
      ", 5, 1, 0, NULL), "
      "(3, 4, 0, " +
      k9 +
      ", 5, 1, 0, NULL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 1, 7, 5, " +
      kPid7 + ", 3, 4, NULL), (11, 22, 1, 1, 7, 5, " + kPid9 + ", NULL, 4, NULL)");

  CHECK(Rows(db,
             "SELECT g.name, g.duration_ns, g.device_index, a.pid FROM gpu_ops g JOIN "
             "api_calls a ON a.correlation_id = g.correlation_id AND a.process_id = "
             "g.process_id ORDER BY g.id") == Lines{"void gemm<float>(int)|10|0|7", "gemm|11|1|9"});
}

TEST_CASE("nsys: a device is the machine's, not the process's number for it", "[nsys]") {
  const TraceDb db = ImportExport(
      kKernels +
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (2, 0, 7), (3, 0, 9);"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, totalMemory INTEGER, "
      "computeMajor INTEGER, computeMinor INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (2, 'H100', 132, 85, 9, 0), (5, 'T4', 40, 16, 7, 5);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 1, 7, 5, " +
      kPid7 + ", 3, 4, NULL), (11, 22, 0, 1, 7, 5, " + kPid9 + ", 3, 4, NULL)");

  CHECK(Rows(db,
             "SELECT device_index, name, sm_count, memory_bytes, compute_capability FROM gpu "
             "ORDER BY device_index") == Lines{"2|H100|132|85|9.0", "3||||"});
}

TEST_CASE("nsys: copies say their direction and the host's memory", "[nsys]") {
  const auto upload = nsys::WordsOfCopy(1, 0, 2);
  CHECK(upload.name == "Memcpy HtoD (Pageable -> Device)");
  CHECK(upload.copy_kind == "H2D");
  CHECK(upload.host_memory == "pageable");
  CHECK(nsys::WordsOfCopy(2, 2, 1).host_memory == "pinned");
  CHECK(nsys::WordsOfCopy(8, {}, {}).name == "Memcpy DtoD");
  CHECK(nsys::WordsOfCopy(99, 99, -1).name == "Memcpy");
  CHECK(nsys::NameOfMemset(2) == "Memset (Device)");
  CHECK(nsys::NameOfMemset({}) == "Memset");
}

TEST_CASE("nsys: graphs count once, as wholes or as nodes", "[nsys]") {
  const std::string graphs =
      kKernels +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, "
      "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId "
      "INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10, 30, 0, 1, 7, 5, " +
      kPid7 + ", 12);";
  const TraceDb wholes = ImportExport(graphs);
  const TraceDb nodes = ImportExport(graphs +
                                     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                                     "(10, 30, 0, 1, 7, 5, " +
                                     kPid7 + ", 3, 4, 77)");

  CHECK(OneRow(wholes, "SELECT kind, name, duration_ns FROM gpu_ops") == "graph|CUDA graph 12|20");
  CHECK(OneRow(nodes, "SELECT count(*), max(kind), max(graph_node_id) FROM gpu_op") ==
        "1|kernel|77");
  CHECK(LossCount(nodes, "nsys_graph_covered") == 1);
}

TEST_CASE("nsys: NVTX ranges with their domain; what PyTorch writes into them is taken apart",
          "[nsys]") {
  const TraceDb db = ImportExport(kNvtx +
                                  "INSERT INTO NVTX_EVENTS VALUES "
                                  "(0, NULL, 75, " +
                                  k7 +
                                  ", 3, 'NCCL', NULL), "
                                  "(10, 20, 59, " +
                                  k7 +
                                  ", 3, 'ncclSend', NULL), "
                                  "(11, 12, 59, " +
                                  k7 +
                                  ", 0, 'aten::add, seq = 12, op_id = 34, sizes = [[2, 3], []], "
                                  "input_op_ids = [(1,0)]', NULL), "
                                  "(13, 15, 60, " +
                                  k7 +
                                  ", 0, NULL, 5), "
                                  "(16, NULL, 34, " +
                                  k7 +
                                  ", 0, 'mark', NULL), "
                                  "(17, NULL, 59, " +
                                  k7 +
                                  ", 0, 'open', NULL), "
                                  "(18, NULL, 33, " +
                                  k7 +
                                  ", 0, 'category', NULL), "
                                  "(30, 25, 59, " +
                                  k7 + ", 0, 'backwards', NULL)");

  CHECK(Rows(db,
             "SELECT n.text, duration_ns, category, sequence_id, shapes FROM range r JOIN name "
             "n ON n.id = r.name_id ORDER BY r.id") == Lines{"NCCL:ncclSend|10|nvtx||",
                                                             "aten::add|1|nvtx|12|[[2, 3], []]",
                                                             "main|2|nvtx||", "mark|0|nvtx||"});
  CHECK(LossCount(db, "nsys_range_open") == 1);
  CHECK(LossCount(db, "nsys_nvtx_not_stored") == 2);
  CHECK(LossCount(db, "nsys_time_unreadable") == 1);
}

TEST_CASE("nsys: waits are from leaving a core until coming back", "[nsys]") {
  const TraceDb db = ImportExport(
      "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid "
      "INTEGER, "
      "threadState INTEGER); INSERT INTO SCHED_EVENTS VALUES "
      "(10, 0, 1, " +
      k7 + ", 0), (20, 0, 0, " + k7 + ", 2), (50, 0, 1, " + k7 +
      ", 0), "
      "(60, 0, 0, " +
      k7 + ", 1), (65, 1, 1, " + k7 + ", 0), (70, 1, 0, " + k8 + ", 0)");

  CHECK(Rows(db, "SELECT start_ns, duration_ns, reason, runnable_ns FROM off_cpu ORDER BY id") ==
        Lines{"1000020|30|unknown|", "1000060|5|preempted|5"});
  CHECK(LossCount(db, "nsys_switch_alone") == 2);
}

TEST_CASE("nsys: samples and calls have their stacks", "[nsys]") {
  const TraceDb db = ImportExport(
      kRuntime +
      "CREATE TABLE COMPOSITE_EVENTS (id INTEGER, start INTEGER, globalTid INTEGER);"
      "CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, kernelMode "
      "INTEGER, stackDepth INTEGER);"
      "CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth "
      "INTEGER);"
      "INSERT INTO COMPOSITE_EVENTS VALUES (1, 10, " +
      k7 + "), (2, 11, " + k7 +
      ");"
      "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 7, NULL, 1, 0), (1, 5, 6, 0, 1);"
      "INSERT INTO CUDA_CALLCHAINS VALUES (4, 8, 6, 0), (4, 5, 6, 1);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, " +
      k7 +
      ", 5, 1, 0, 4), "
      "(3, 4, 0, " +
      k7 + ", 6, 1, 0, 99)");
  const auto stack = [&](const std::string& table) {
    return OneRow(
        db,
        "SELECT f.kind || ' ' || f.function_name || ' < ' || g.function_name || ' in ' "
        "|| g.module FROM " +
            table +
            " t JOIN callsite c ON c.id = t.callsite_id JOIN "
            "frame f ON f.id = c.frame_id JOIN callsite p ON p.id = c.parent_id JOIN frame g "
            "ON g.id = p.frame_id");
  };

  CHECK(stack("sample") == "kernel poll < main in /bin/train");
  CHECK(stack("api_call") == "native loader < main in /bin/train");
  CHECK(LossCount(db, "nsys_sample_without_stack") == 1);
  CHECK(LossCount(db, "nsys_stack_missing") == 1);
}

TEST_CASE("nsys: GPU metrics and the balance of allocations are series of a device", "[nsys]") {
  const TraceDb db = ImportExport(
      "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value "
      "INTEGER); CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, "
      "metricName TEXT);"
      "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (257, 1, 'SM Active [Throughput %]');"
      "INSERT INTO GPU_METRICS VALUES (10, 257, 1, 44), (10, 257, 2, 5);"
      "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId "
      "INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER);"
      "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, " +
      kPid7 +
      ", 0, 100, 2, 0), "
      "(2, " +
      kPid7 + ", 0, 50, 2, 0), (3, " + kPid7 + ", 0, 100, 2, 1), (4, " + kPid7 + ", 0, 1, 4, 0)");

  CHECK(Rows(db,
             "SELECT c.name, c.unit, g.device_index, v.time_ns, v.value FROM counter c JOIN gpu "
             "g ON g.id = c.gpu_id JOIN counter_value v ON v.counter_id = c.id ORDER BY c.id, "
             "v.time_ns") == Lines{"gpu.SM Active [Throughput %]|pct|1|1000010|44.0",
                                   "gpu.metric 2|count|1|1000010|5.0",
                                   "gpu.memory_allocated_since_start_bytes|bytes|0|1000001|100.0",
                                   "gpu.memory_allocated_since_start_bytes|bytes|0|1000002|150.0",
                                   "gpu.memory_allocated_since_start_bytes|bytes|0|1000003|50.0"});
  CHECK(LossCount(db, "nsys_metric_unnamed") == 1);
  CHECK(LossCount(db, "nsys_allocation_not_stored") == 1);
}

TEST_CASE("nsys: only processes and threads with events are rows, by their names", "[nsys]") {
  const TraceDb db = ImportExport(
      kNvtx + "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, " + k7 +
      ", 0, 'x', NULL);"
      "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
      "INSERT INTO PROCESSES VALUES (" +
      kPid7 + ", 7, 'train'), (" + kPid9 +
      ", 9, 'other');"
      "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);"
      "INSERT INTO ThreadNames VALUES (8, " +
      k7 + "), (5, " + k9 +
      ");"
      "CREATE TABLE MPI_P2P_EVENTS (start INTEGER); INSERT INTO MPI_P2P_EVENTS VALUES (1), (2);");

  CHECK(Rows(db,
             "SELECT p.pid, p.name, t.name FROM thread t JOIN process p ON p.id = "
             "t.process_id") == Lines{"7|train|loader"});
  CHECK(LossCount(db, "nsys_table_not_stored") == 2);
}

TEST_CASE("nsys: damaged numbers, missing texts and bytes that are no UTF-8 are counted",
          "[nsys]") {
  const TraceDb db = ImportExport(kRuntime + kNvtx +
                                  "INSERT INTO StringIds VALUES (20, CAST(x'6ce1ff' AS TEXT));"
                                  "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
                                  "(9223372036854775807, 9223372036854775807, 0, " +
                                  k7 +
                                  ", 5, 1, 0, NULL), "
                                  "(-9223372036854775808, 4, 0, " +
                                  k7 +
                                  ", 5, 1, 0, NULL), "
                                  "(1, 2, 0, NULL, 5, 1, 0, NULL), (3, 4, 0, -1, 5, 999, 0, NULL), "
                                  "(5, 6, 0, " +
                                  k7 + ", 5, 20, 0, NULL)");

  CHECK(LossCount(db, "nsys_time_unreadable") == 2);
  CHECK(LossCount(db, "nsys_thread_missing") == 1);
  CHECK(LossCount(db, "nsys_name_missing") == 1);
  CHECK(LossCount(db, "nsys_text_not_utf8") == 1);
  CHECK(Rows(db, "SELECT name FROM api_calls ORDER BY start_ns") ==
        Lines{"text 999", "l\xEF\xBF\xBD\xEF\xBF\xBD"});
}

TEST_CASE("nsys: a file of another kind and a damaged export are told apart", "[nsys]") {
  const TempDir dir;
  MakeSqliteFile(dir.File("other.sqlite"), "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  MakeSqliteFile(dir.File("whole.sqlite"), kTables + kRuntime);
  std::filesystem::copy_file(dir.File("whole.sqlite"), dir.File("cut.sqlite"));
  std::filesystem::resize_file(dir.File("cut.sqlite"), 6000);

  CHECK(Imported(dir.File("other.sqlite")).error().message.find("no format that gpuwhy reads") !=
        std::string::npos);
  const auto cut = Imported(dir.File("cut.sqlite"));
  REQUIRE(!cut.ok());
  CHECK(cut.error().message.find("cut.sqlite") != std::string::npos);
}

TEST_CASE("nsys: what Nsight Systems complained of while recording is told", "[nsys]") {
  const TraceDb db = ImportExport(
      "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
      "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 'started'), (2, 2, 'no permission'), "
      "(3, 3, 'events were dropped')");

  CHECK(LossCount(db, "nsys_recorder_warning") == 1);
  CHECK(OneRow(db, "SELECT description FROM loss WHERE name = 'nsys_recorder_error'")
            .find("events were dropped") != std::string::npos);
}
