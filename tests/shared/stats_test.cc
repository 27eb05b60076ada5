// SPDX-License-Identifier: Apache-2.0
// get_trace_stats and get_per_process_breakdown on real recordings, against numbers that plain SQL
// gives on the original files.
#include <map>

#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"

namespace gpuwhy {
namespace {

Json Ask(const TraceDb& db, std::string_view tool, const Json& arguments = Json::object()) {
  const auto answer = RunToolOn(db, tool, arguments);
  if (!answer.ok()) FAIL(answer.error().message);
  return Json::parse(RenderJson(answer.value()));
}

TraceDb Dataloader() {
  return Imported(SharedData("ingero-db/pytorch-dataloader-starvation.db")).value();
}

Json Find(const Json& rows, const std::string& key, const Json& value) {
  for (const Json& row : rows) {
    if (row[key] == value) return row;
  }
  return {};
}

struct Expected {
  const char* operation;
  int64_t count;
  double sum_ms, min_us, max_us, p50_us, p95_us, p99_us;
};

void CheckRow(const Json& row, const Expected& expected) {
  INFO(expected.operation);
  REQUIRE(row.is_object());
  const auto rounds_to = [](const Json& ns, double unit_ns, double value, double half) {
    return std::abs(ns.get<double>() / unit_ns - value) <= half * 1.0001;
  };
  CHECK(row["event_count"] == expected.count);
  CHECK(rounds_to(row["sum_ns"], 1e6, expected.sum_ms, 0.0005));
  CHECK(rounds_to(row["min_ns"], 1e3, expected.min_us, 0.05));
  CHECK(rounds_to(row["max_ns"], 1e3, expected.max_us, 0.05));
  CHECK(rounds_to(row["p50_ns"], 1e3, expected.p50_us, 0.05));
  CHECK(rounds_to(row["p95_ns"], 1e3, expected.p95_us, 0.05));
  CHECK(rounds_to(row["p99_ns"], 1e3, expected.p99_us, 0.05));
}

TEST_CASE("data loader: statistics equal those of the file to the microsecond", "[shared]") {
  const TraceDb db = Dataloader();

  const Json answer = Ask(db, "get_trace_stats");

  const Expected calls[] = {
      {"cudaMalloc", 7, 3.232, 229.6, 765.2, 472.7, 765.2, 765.2},
      {"cudaLaunchKernel", 16, 26.987, 63.4, 25'799.9, 73.2, 25'799.9, 25'799.9},
      {"cudaStreamSync", 21, 0.653, 17.3, 93.6, 27.7, 41.3, 93.6},
      {"cudaDeviceSync", 3, 51.703, 9'233.0, 21'500.8, 20'969.1, 21'500.8, 21'500.8},
      {"cudaMemcpyAsync", 14, 441.155, 24.0, 65'000.4, 34'810.5, 65'000.4, 65'000.4},
      {"cuLaunchKernel", 41, 1.625, 24.9, 293.9, 27.1, 90.5, 293.9},
      {"cuCtxSynchronize", 3, 51.537, 9'182.4, 21'449.9, 20'904.3, 21'449.9, 21'449.9},
      {"cuMemAlloc", 10, 3.066, 23.2, 714.3, 199.2, 714.3, 714.3}};
  for (const Expected& expected : calls)
    CheckRow(Find(answer["api_call"], "operation", expected.operation), expected);
  REQUIRE(answer["off_cpu"].size() == 1);
  CheckRow(answer["off_cpu"][0],
           {"sched_switch", 3'676, 1'473.426, 12.6, 23'871.4, 25.7, 5'087.5, 5'142.5});
  CHECK(answer["headline"].get<std::string>().find("3,807 events stored of 1,623,496 counted") !=
        std::string::npos);
}

TEST_CASE("data loader: the default answer of the statistics is short", "[shared]") {
  for (const char* file :
       {"ingero-db/pytorch-dataloader-starvation.db", "ingero-db/pytorch-173382-empty-cache.db",
        "ingero-db/sample-gpu-node-01.db", "ingero-db/sample-gpu-node-02.db",
        "kineto/kineto-tb-resnet50-workers0/worker0.1623143089861.pt.trace.json"
        ".gz"}) {
    const TraceDb db = Imported(SharedData(file)).value();
    for (const char* tool : {"get_trace_stats", "get_per_process_breakdown", "get_call_stacks"}) {
      const auto answer = RunToolOn(db, tool, Json::object());
      INFO(file << " " << tool);
      REQUIRE(answer.ok());
      CHECK(RenderText(answer.value()).size() < 4 * 1500);
    }
  }
}

TEST_CASE("data loader: the breakdown per process has the counted events of every process",
          "[shared]") {
  const TraceDb db = Dataloader();

  const Json answer = Ask(db, "get_per_process_breakdown", {{"threads", true}, {"limit", 50}});

  struct Process {
    int64_t pid, switch_count, page_alloc_count, page_alloc_bytes;
  };
  const Process processes[] = {{2254, 53'526, 77'792, 318'881'792},
                               {2255, 45'281, 71'226, 291'950'592},
                               {2256, 40'292, 59'036, 241'922'048},
                               {2257, 29'956, 49'110, 201'289'728},
                               {2233, 3'713 + 18'093 + 512 + 213 + 247, 1'173'407, 4'806'926'336},
                               {429, 2, 10, 40'960}};
  for (const Process& expected : processes) {
    INFO(expected.pid);
    const Json row = Find(answer["processes"], "pid", expected.pid);
    REQUIRE(row.is_object());
    CHECK(row["switch_count"] == expected.switch_count);
    CHECK(row["page_alloc_count"] == expected.page_alloc_count);
    CHECK(row["page_alloc_bytes"] == expected.page_alloc_bytes);
    if (expected.pid > 2253) CHECK(row["role"] == "child of 2233");
  }
  const Json main = Find(answer["processes"], "pid", 2233);
  CHECK(main["cuda_call_count"] == 7 + 30 + 21 + 3 + 21);
  const Json copies = Find(answer["cuda_operations"], "operation", "cudaMemcpyAsync");
  CHECK(copies["event_count"] == 21);
  CHECK(copies["sum_ns"] == 665'589'021);
  CHECK(copies["mean_ns"] == 31'694'715);
  CHECK(copies["sum_bytes"] == 6'020'708'392);
}

TEST_CASE("data loader: threads are shown as threads and 5 s waits as time-outs", "[shared]") {
  const TraceDb db = Dataloader();

  const Json answer = Ask(db, "get_per_process_breakdown", {{"threads", true}, {"limit", 50}});

  struct Thread {
    int64_t tid, pid, switch_count;
    double off_cpu_ms;
    bool is_timeout;
  };
  const Thread threads[] = {
      {2233, 2233, 3'713, 1'474.6, false}, {2258, 2233, 18'093, 7'299.6, true},
      {2259, 2233, 512, 2'144, false},     {2260, 2233, 213, 18'415, false},
      {2262, 2233, 247, 130, false},       {2254, 2254, 53'526, 5'399.7, false},
      {2257, 2257, 29'956, 7'406.7, true}};
  for (const Thread& expected : threads) {
    INFO(expected.tid);
    const Json row = Find(answer["threads"], "tid", expected.tid);
    REQUIRE(row.is_object());
    CHECK(row["pid"] == expected.pid);
    CHECK(row["switch_count"] == expected.switch_count);
    CHECK(row["off_cpu_ns"].get<double>() / 1e6 == Approx(expected.off_cpu_ms).margin(0.5));
    CHECK((row["longest_wait"] == "timeout-shaped wait") == expected.is_timeout);
  }
}

TEST_CASE("173382: launches have the counts and percentiles of the file", "[shared]") {
  const TraceDb db = Imported(SharedData("ingero-db/pytorch-173382-empty-cache.db")).value();

  const Json launch = Find(Ask(db, "get_trace_stats")["api_call"], "operation", "cudaLaunchKernel");

  CHECK(launch["event_count"] == 915);
  CHECK(launch["p50_ns"].get<double>() / 1e3 == Approx(16.2).margin(0.05));
  CHECK(launch["p99_ns"].get<double>() / 1e3 == Approx(11'552.6).margin(0.05));
  CHECK(launch["max_ns"].get<double>() / 1e3 == Approx(68'814.3).margin(0.05));
}

}  // namespace
}  // namespace gpuwhy
