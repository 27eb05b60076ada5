// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder.h"

#include "tests/catch.h"
#include "tests/support/imported.h"

using namespace gpuwhy;
using Lines = std::vector<std::string>;

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr LossKind kOdd{"odd_record", LossSeverity::kDataLoss, "records that are odd",
                        "record even"};

TraceDb Memory() {
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  return std::move(db).value();
}

std::unique_ptr<Recorder> Start(const TraceDb& db) {
  CaptureRow capture;
  capture.kind = "self";
  auto recorder = Recorder::Start(db, capture);
  REQUIRE(recorder.ok());
  return std::move(recorder).value();
}

ApiCallRow Call(Recorder& recorder, int64_t start_ns, int64_t duration_ns) {
  ApiCallRow row;
  row.start_ns = start_ns;
  row.duration_ns = duration_ns;
  row.thread_id = recorder.ThreadOf(recorder.ProcessOf(7), 8);
  row.name_id = recorder.InternName("cudaMalloc");
  return row;
}

}  // namespace

TEST_CASE("recorder: rows refer to names, threads and processes made on first use", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);

  ApiCallRow row = Call(*recorder, 100, 10);
  row.bytes = 64;
  const int64_t first = recorder->Add(row);
  row.parent_id = first;
  recorder->Add(row);
  REQUIRE(recorder->Finish().ok());

  CHECK(Rows(db, "SELECT name, pid, tid, start_ns, duration_ns, bytes, parent_id FROM api_calls") ==
        Lines{"cudaMalloc|7|8|100|10|64|", "cudaMalloc|7|8|100|10|64|1"});
  CHECK(OneRow(db, "SELECT (SELECT count(*) FROM process), (SELECT count(*) FROM thread)") ==
        "1|1");
  CHECK(OneRow(db, "SELECT kind, start_ns, end_ns FROM capture") == "self|100|110");
}

TEST_CASE("recorder: a pid or tid that ended is a new row when it comes again", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);

  const int64_t process = recorder->ProcessOf(7);
  const int64_t thread = recorder->ThreadOf(process, 8);
  recorder->EndThread(process, 8);
  CHECK(recorder->ThreadOf(process, 8) != thread);
  recorder->EndProcess(7);
  CHECK(recorder->ProcessOf(7) != process);
  CHECK(recorder->ProcessOf(7) == recorder->ProcessOf(7));
  CHECK(recorder->ProcessOfThread(thread) == process);
}

TEST_CASE("recorder: facts that are not given leave the column as it is", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  const int64_t process = recorder->ProcessOf(7);
  ProcessFacts facts;
  facts.name = "train";
  facts.start_ns = 5;
  recorder->SetProcess(process, facts);
  ProcessFacts more;
  more.end_ns = 9;
  recorder->SetProcess(process, more);

  CHECK(OneRow(db, "SELECT name, start_ns, end_ns, rank FROM process") == "train|5|9|");
}

TEST_CASE("recorder: roll-ups hold every event, per second", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  for (int64_t i = 1; i <= 100; ++i) {
    ApiCallRow row = Call(*recorder, kSecond + i, i);
    row.bytes = 2;
    recorder->Add(row);
  }
  recorder->Add(Call(*recorder, 2 * kSecond, 1000));
  recorder->Add(Call(*recorder, -1, 7));
  REQUIRE(recorder->Finish().ok());

  CHECK(
      Rows(db,
           "SELECT bucket_ns, width_ns, source, name, pid, tid, event_count, stored_count, sum_ns, "
           "min_ns, max_ns, sum_bytes FROM latencies ORDER BY bucket_ns") ==
      Lines{"-1000000000|1000000000|api_call|cudaMalloc|7||1|1|7|7|7|0",
            "1000000000|1000000000|api_call|cudaMalloc|7||100|100|5050|1|100|200",
            "2000000000|1000000000|api_call|cudaMalloc|7||1|1|1000|1000|1000|0"});
  CHECK(OneRow(db,
               "SELECT histogram_percentile(histogram, 0.5), histogram_percentile(histogram, 0.99) "
               "FROM latency WHERE bucket_ns = 1000000000") == "50|99");
}

TEST_CASE("recorder: which process used which device is kept", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  const int64_t process = recorder->ProcessOf(7);
  const int64_t gpu = recorder->GpuOf(3);
  for (const int64_t start_ns : {50, 10, 30}) {
    GpuOpRow row;
    row.start_ns = start_ns;
    row.duration_ns = 5;
    row.gpu_id = gpu;
    row.process_id = process;
    row.kind = start_ns == 50 ? "sync" : "kernel";
    row.name_id = recorder->InternName("k");
    recorder->Add(row);
  }
  REQUIRE(recorder->Finish().ok());

  CHECK(OneRow(db,
               "SELECT device_index, pid, op_count, first_ns, last_ns FROM gpu_process u "
               "JOIN gpu g ON g.id = u.gpu_id JOIN process p ON p.id = u.process_id") ==
        "3|7|2|10|35");
}

TEST_CASE("recorder: off-CPU time is kept per thread, under its reason", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  for (const int64_t tid : {8, 9}) {
    OffCpuRow row;
    row.start_ns = 10;
    row.duration_ns = tid;
    row.thread_id = recorder->ThreadOf(recorder->ProcessOf(7), tid);
    row.reason = "io";
    recorder->Add(row);
  }
  REQUIRE(recorder->Finish().ok());

  CHECK(Rows(db, "SELECT name, pid, tid, sum_ns FROM latencies ORDER BY tid") ==
        Lines{"io|7|8|8", "io|7|9|9"});
}

TEST_CASE("recorder: a source with roll-ups of its own gets no others", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  recorder->DisableRollUps();
  recorder->Add(Call(*recorder, 1, 2));
  LatencyRow own;
  own.source = "api_call";
  own.name_id = recorder->InternName("cudaMalloc");
  own.width_ns = 60 * kSecond;
  own.event_count = 1000;
  own.stored_count = 1;
  recorder->Add(own);
  REQUIRE(recorder->Finish().ok());

  CHECK(Rows(db, "SELECT width_ns, event_count, stored_count, histogram IS NULL FROM latency") ==
        Lines{"60000000000|1000|1|1"});
}

TEST_CASE("recorder: losses are summed with their first example and their time range",
          "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  recorder->Count(kOdd, 2, 500, "first\x1b");
  recorder->Count(kOdd, 3, 100, "second");
  recorder->Count(kOdd);
  REQUIRE(recorder->Finish().ok());

  CHECK(
      Rows(
          db,
          "SELECT name, severity, event_count, first_ns, last_ns, description, advice FROM loss") ==
      Lines{"odd_record|data_loss|6|100|500|records that are odd (first: first\xEF\xBF\xBD)|record "
            "even"});
}

TEST_CASE("recorder: stacks share their outer frames", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  const auto frame = [&](std::string_view name) {
    return recorder->InternFrame(
        {.kind = "native", .function_name = name, .module = "a.so", .file = {}, .line = {}});
  };
  const std::vector<int64_t> left = {frame("main"), frame("run"), frame("left")};
  const std::vector<int64_t> right = {frame("main"), frame("run"), frame("right")};

  const int64_t first = recorder->InternCallsite(left);
  CHECK(recorder->InternCallsite(right) != first);
  CHECK(recorder->InternCallsite(left) == first);
  CHECK(recorder->InternCallsite({}) == 0);

  CHECK(OneRow(db, "SELECT (SELECT count(*) FROM frame), (SELECT count(*) FROM callsite)") ==
        "4|4");
  CHECK(
      OneRow(
          db,
          "SELECT f.function_name FROM callsite c JOIN callsite p ON p.id = c.parent_id JOIN frame "
          "f ON f.id = p.frame_id WHERE c.id = " +
              std::to_string(first)) == "run");
}

TEST_CASE("recorder: captures in one database share names and nothing else", "[recorder]") {
  const TraceDb db = Memory();
  const auto first = Start(db);
  first->Add(Call(*first, 1, 2));
  REQUIRE(first->Finish().ok());
  const auto second = Start(db);
  second->Add(Call(*second, 10, 2));
  REQUIRE(second->Finish().ok());

  CHECK(OneRow(db, "SELECT count(*) FROM name") == "1");
  CHECK(Rows(db, "SELECT capture_id, pid FROM process") == Lines{"1|7", "2|7"});
  CHECK(Rows(db, "SELECT id, start_ns, end_ns FROM capture") == Lines{"1|1|3", "2|10|12"});
}

TEST_CASE("recorder: counters have one row per series, and no infinities", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  recorder->AddCounterValue("system.cpu_pct", "pct", 5, 50);
  recorder->AddCounterValue("system.cpu_pct", "pct", 6, 1.0 / 0.0);
  recorder->AddCounterValue("system.cpu_pct", "pct", 7, 70);
  REQUIRE(recorder->Finish().ok());

  CHECK(
      Rows(
          db,
          "SELECT name, unit, time_ns, value FROM counter JOIN counter_value ON counter_id = id") ==
      Lines{"system.cpu_pct|pct|5|50.0", "system.cpu_pct|pct|7|70.0"});
  CHECK(LossCount(db, "counter_not_finite") == 1);
}

TEST_CASE("recorder: a frozen time range stays", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  recorder->Add(Call(*recorder, 100, 10));
  recorder->FreezeTimeRange();
  recorder->AddCounterValue("system.cpu_pct", "pct", 5, 50);
  recorder->Add(Call(*recorder, 1, 1000));
  REQUIRE(recorder->Finish().ok());

  CHECK(OneRow(db, "SELECT start_ns, end_ns FROM capture") == "100|110");
}

TEST_CASE("recorder: absurd times neither overflow nor stop it", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  for (const int64_t time_ns : {INT64_MAX, INT64_MIN, int64_t{0}}) {
    for (const int64_t duration_ns : {INT64_MAX, INT64_MIN, int64_t{-1}})
      recorder->Add(Call(*recorder, time_ns, duration_ns));
  }

  CHECK(recorder->Finish().ok());
  CHECK(OneRow(db, "SELECT count(*) FROM api_call") == "9");
}

TEST_CASE("recorder: the first failed insert is kept and stops the rest", "[recorder]") {
  const TraceDb db = Memory();
  const auto recorder = Start(db);
  REQUIRE(db.Execute("DROP TABLE host_event").ok());

  HostEventRow row;
  row.kind = "fork";
  recorder->Add(row);
  recorder->Add(Call(*recorder, 1, 2));

  CHECK_FALSE(recorder->status().ok());
  CHECK_FALSE(recorder->Finish().ok());
  CHECK(OneRow(db, "SELECT count(*) FROM api_call") == "0");
}
