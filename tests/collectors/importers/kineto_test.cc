// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/support/imported_text.h"

using gpuwhy::Gzip;
using gpuwhy::ImportedText;
using gpuwhy::ImportText;

namespace {

// A file around some events.
std::string Trace(std::string_view events) {
  return fmt::format(
      R"({{"schemaVersion": 1, "baseTimeNanoseconds": 1727743122000000000, "traceEvents": [{}]}})",
      events);
}

constexpr std::string_view kHost =
    R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 1.000, "dur": 9})";

}  // namespace

TEST_CASE("kineto: times are exact to the nanosecond", "[kineto]") {
  const ImportedText trace = ImportText(
      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1712195495507888.958, "dur": 0.001}]})");
  CHECK(trace.Int("SELECT start_ns FROM range") == INT64_C(1712195495507888958));
  CHECK(trace.Int("SELECT duration_ns FROM range") == 1);

  const ImportedText relative = ImportText(Trace(kHost));
  CHECK(relative.Int("SELECT start_ns FROM range") == INT64_C(1727743122000001000));
  CHECK(relative.Int("SELECT clock_offset_ns FROM capture") == INT64_C(1727743122000000000));
}

TEST_CASE("kineto: a kernel keeps its launch, place and shape", "[kineto]") {
  const ImportedText trace = ImportText(Trace(std::string(kHost) + R"(,
    {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 1, "tid": 7, "ts": 5.5, "dur": 8.25,
     "args": {"device": 1, "context": 2, "stream": 7, "correlation": 11, "registers per thread": 168,
              "shared memory": 81920, "grid": [4, 2, 1], "block": [128, 1, 1], "graph node id": 5}})"));
  CHECK(trace.Text("SELECT name || '|' || kind || '|' || device_index || '|' || stream || '|' || "
                   "context_id || '|' || correlation_id || '|' || register_count || '|' || "
                   "shared_memory_bytes || '|' || graph_node_id FROM gpu_ops") ==
        "sgemm|kernel|1|7|2|11|168|81920|5");
  CHECK(trace.Text("SELECT grid_x || ',' || grid_y || ',' || grid_z || ' ' || block_x || ',' || "
                   "block_y || ',' || block_z FROM gpu_op") == "4,2,1 128,1,1");
  CHECK(trace.Int("SELECT pid FROM gpu_ops") == 9);
}

TEST_CASE("kineto: GPU work read before any host row belongs to the process that follows",
          "[kineto]") {
  const ImportedText trace = ImportText(
      Trace(R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1},)" +
            std::string(kHost)));
  CHECK(trace.Int("SELECT count(*) FROM process") == 1);
  CHECK(trace.Int("SELECT pid FROM gpu_ops") == 9);
}

TEST_CASE("kineto: copies say direction and host memory", "[kineto]") {
  const ImportedText trace = ImportText(Trace(R"j(
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {
  "bytes" : 640}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0, "tid": 7, "ts": 4, "dur": 2},
    {"ph": "X", "cat": "gpu_memset", "name": "Memset (Device)", "pid": 0, "tid": 7, "ts": 7, "dur": 2},
    {"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyAsync", "pid": 9, "tid": 9, "ts": 7, "dur": 2, "args": {"kind": "2", "bytes": "128"}})j"));
  CHECK(trace.Text("SELECT group_concat(kind || ':' || coalesce(copy_kind, '-') || ':' || "
                   "coalesce(host_memory, '-') || ':' || coalesce(bytes, '-'), ' ') FROM gpu_op") ==
        "memcpy:H2D:pageable:640 memcpy:D2H:pinned:- memset:-:-:-");
  CHECK(trace.Text("SELECT copy_kind || bytes FROM api_call") == "D2H128");
}

TEST_CASE("kineto: the first writers' categories, stream texts and bare array are read",
          "[kineto]") {
  const ImportedText trace = ImportText(R"([
    {"ph": "X", "cat": "Operator", "name": "aten::empty", "pid": 24572, "tid": "24572", "ts": 1621401187223197, "dur": 21},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 24572, "tid": "24572", "ts": 1621401187223198, "dur": 9, "args": {"correlation": 3}},
    {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 1621401187223220, "dur": 4, "args": {"correlation": 3}}
  ])");
  CHECK(trace.Int("SELECT tid FROM ranges") == 24572);
  CHECK(trace.Int("SELECT stream FROM gpu_op WHERE kind = 'kernel'") == 7);
  CHECK(trace.Int("SELECT count(*) FROM api_call c JOIN gpu_op o USING (correlation_id) "
                  "WHERE o.process_id = (SELECT process_id FROM thread WHERE id = c.thread_id)") ==
        1);
}

TEST_CASE("kineto: synchronisation and annotations are on a stream but never busy", "[kineto]") {
  const ImportedText trace = ImportText(Trace(std::string(kHost) + R"(,
    {"ph": "X", "cat": "cuda_sync", "name": "Stream Sync", "pid": 0, "tid": 1000007, "ts": 2, "dur": 5},
    {"ph": "X", "cat": "gpu_user_annotation", "name": "step", "pid": 0, "tid": 7, "ts": 2, "dur": 5})"));
  CHECK(trace.Text("SELECT kind || stream FROM gpu_op") == "sync7");
  CHECK(trace.Text("SELECT thread || ' of ' || pid FROM ranges "
                   "WHERE category = 'gpu_user_annotation'") == "GPU 0 stream 7 of 9");
}

TEST_CASE("kineto: a driver call inside a runtime call has it as parent", "[kineto]") {
  const ImportedText trace = ImportText(Trace(R"(
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 10, "dur": 10},
    {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 9, "tid": 9, "ts": 12, "dur": 3},
    {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 9, "tid": 9, "ts": 30, "dur": 3})"));
  CHECK(trace.Text("SELECT group_concat(coalesce(parent_id, '-')) FROM api_call ORDER BY id") ==
        "-,1,-");
}

TEST_CASE("kineto: begin and end events become spans, crossed ones by name", "[kineto]") {
  const ImportedText trace = ImportText(R"([
    {"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 0}, {"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 1},
    {"ph": "E", "name": "a", "pid": 1, "tid": 1, "ts": 5}, {"ph": "E", "pid": 1, "tid": 1, "ts": 9},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 10}, {"ph": "B", "name": "c", "pid": 1, "tid": 2, "ts": 11},
    {"ph": "b", "cat": "io", "id": "0x1", "name": "read", "pid": 1, "tid": 1, "ts": 2},
    {"ph": "e", "cat": "io", "id": "0x1", "name": "read", "pid": 1, "tid": 2, "ts": 4}])");
  CHECK(trace.Text("SELECT group_concat(name || duration_ns, ' ') FROM "
                   "(SELECT name, duration_ns FROM ranges ORDER BY name)") ==
        "a5000 b8000 read2000");
  CHECK(trace.Loss("kineto_spans_cross") == 1);
  CHECK(trace.Loss("kineto_end_without_begin") == 1);
  CHECK(trace.Loss("kineto_begin_without_end") == 1);
}

TEST_CASE("kineto: counters and allocator events become series", "[kineto]") {
  const ImportedText trace = ImportText(R"([
    {"ph": "C", "name": "load", "pid": 1, "ts": "1587074269993629", "args": {"sys": 1.5, "usr": nan}},
    {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": 2,
     "args": {"Device Type": 1, "Device Id": 1, "Bytes": 512, "Total Allocated": 5435638784, "Total Reserved": 12782141440}}])");
  CHECK(trace.Text("SELECT group_concat(name || '=' || value, ' ') FROM (SELECT name, value FROM "
                   "counter c JOIN counter_value v ON v.counter_id = c.id ORDER BY name)") ==
        "gpu1.memory_allocated_bytes=5435638784.0 gpu1.memory_reserved_bytes=12782141440.0 "
        "load.sys=1.5");
  CHECK(trace.Int("SELECT min(time_ns) FROM counter_value") == 2000);
  CHECK(trace.Loss("kineto_counter_unreadable") == 1);
}

TEST_CASE("kineto: rows that are no work are counted, not stored", "[kineto]") {
  const ImportedText trace = ImportText(Trace(R"j(
    {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1, "dur": 99},
    {"ph": "i", "name": "Iteration Start: x", "s": "g", "pid": "Traces", "tid": "Trace x", "ts": 1},
    {"ph": "i", "name": "Record Window End", "s": "g", "pid": "", "tid": "", "ts": 99},
    {"ph": "s", "id": 1, "pid": 9, "tid": 9, "ts": 1, "cat": "ac2g", "name": "ac2g"},
    {"ph": "O", "name": "object", "pid": 9, "tid": 9, "ts": 1})j"));
  CHECK(trace.Int("SELECT count(*) FROM range") == 0);
  CHECK(trace.Loss("kineto_trace_span_not_stored") == 3);
  CHECK(trace.Loss("kineto_flow_not_stored") == 1);
  CHECK(trace.Loss("kineto_phase_not_stored") == 1);
}

TEST_CASE("kineto: names, devices and job come from metadata on either side", "[kineto]") {
  const ImportedText trace = ImportText(R"j({"deviceProperties": [
    {"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 85, "computeMajor": 9, "computeMinor": 0, "numSms": 132},
    {"id": 1, "name": "NVIDIA H100"}], "traceEvents": [
    {"name": "process_name", "ph": "M", "ts": 1, "pid": 9, "tid": 0, "args": {"name": "python"}},
    {"name": "thread_name", "ph": "M", "ts": 1, "pid": 9, "tid": 9, "args": {"name": "thread 9 (main)"
}
},
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 9, "tid": 9, "ts": 1, "dur": 9},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1}],
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, "traceName": "x.json"
})j");
  CHECK(trace.Text("SELECT process || '/' || thread FROM ranges") == "python/thread 9 (main)");
  CHECK(trace.Text("SELECT name || sm_count || compute_capability || memory_bytes FROM gpu") ==
        "NVIDIA H1001329.085");
  CHECK(trace.Int("SELECT rank FROM capture") == 3);
  CHECK(trace.Int("SELECT world_size FROM capture") == 8);
  CHECK(trace.Int("SELECT rank FROM process") == 3);
  CHECK(trace.Int("SELECT facts ->> '$.has_step_annotations' FROM capture") == 1);
  CHECK(trace.Int("SELECT facts ->> '$.device_count' FROM capture") == 2);
  CHECK(trace.Int("SELECT length(sha256) FROM capture") == 64);
}

TEST_CASE("kineto: without distributedInfo the rank comes from the file name", "[kineto]") {
  CHECK(ImportText(Trace(kHost), "rank-12.Apr_03.json").Int("SELECT rank FROM capture") == 12);
  CHECK(ImportText(Trace(kHost), "run.json").Int("SELECT rank IS NULL FROM capture") == 1);
}

TEST_CASE("kineto: a base time that follows the events counts as well", "[kineto]") {
  const ImportedText trace = ImportText(R"({"traceEvents": [)" + std::string(kHost) +
                                        R"(], "baseTimeNanoseconds": 1727743122000000000})");
  CHECK(trace.Int("SELECT start_ns FROM range") == INT64_C(1727743122000001000));
  CHECK(trace.Int("SELECT count(*) FROM capture") == 1);
  CHECK(trace.Int("SELECT min(bucket_ns) FROM latency") == INT64_C(1727743122000000000));
}
