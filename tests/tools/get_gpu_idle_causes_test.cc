// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr int64_t kUs = 1'000;
constexpr std::string_view kTool = "get_gpu_idle_causes";

int64_t TimeOf(const Json& answer, const std::string& cause) {
  for (const Json& row : answer["causes"]) {
    if (row["cause"] == cause) return row["time_ns"].get<int64_t>();
  }
  return 0;
}

// One thread: a kernel, then 10 ms in which it reads a disk, waits for a core and computes, then a
// launch whose kernel starts 50 us after the call returned.
void FillStarved(TraceBuilder& trace) {
  const int64_t thread = trace.Thread(10, 10);
  AddLaunch(trace, {thread, 0, 10 * kUs, 1});
  AddOp(trace, 10, {"first", 20 * kUs, 1 * kMs, 1});
  AddOffCpu(trace, thread, 2 * kMs, 3 * kMs, "io", 1 * kMs);
  AddLaunch(trace, {thread, 11 * kMs, 10 * kUs, 2});
  AddOp(trace, 10, {"second", 11 * kMs + 60 * kUs, 1 * kMs, 2});
}

TEST_CASE("get_gpu_idle_causes: divides a gap among disk, core, computing, launch and queue",
          "[tools]") {
  const BuiltTrace trace(&FillStarved);

  const Json answer = trace.AskJson(kTool);

  // The gap: from 1.020 ms to 11.060 ms.
  CHECK(answer["summary"]["idle_ns"] == 10'040 * kUs);
  CHECK(answer["summary"]["busy_ns"] == 2 * kMs);
  CHECK(answer["summary"]["span_ns"] == 12'040 * kUs);
  CHECK(TimeOf(answer, "host waiting for a disk") == 2 * kMs);
  CHECK(TimeOf(answer, "host thread ready, no core free") == 1 * kMs);
  CHECK(TimeOf(answer, "host on a core") == 980 * kUs + 6 * kMs);
  CHECK(TimeOf(answer, "host in a launch or other CUDA call") == 10 * kUs);
  CHECK(TimeOf(answer, "launch latency (launched <= 30 us ago)") == 30 * kUs);
  CHECK(TimeOf(answer, "launched, waiting (dependency or other work)") == 20 * kUs);
  CHECK(answer["gaps"][0]["next"] == "second");
  CHECK(answer["gaps"][0]["thread"] == "process 10 main thread");
  CHECK(answer["gaps"][0]["main_cause"] == "host on a core");
  CHECK(answer["check"].get<std::string>().find("sum to 10,040,000 ns; idle is 10,040,000 ns") !=
        std::string::npos);
}

TEST_CASE("get_gpu_idle_causes: without scheduling rows the host is not called on a core",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    AddOp(builder, 10, {"first", 0, 1 * kMs});
    builder.Range(thread, "aten::to", 2 * kMs, 3 * kMs);
    AddLaunch(builder, {thread, 9 * kMs, 10 * kUs, 2});
    AddOp(builder, 10, {"second", 9 * kMs + 10 * kUs, 1 * kMs, 2});
  });

  const Json answer = trace.AskJson(kTool);

  CHECK(TimeOf(answer, "host on a core") == 0);
  CHECK(TimeOf(answer, "host in Python/framework (core use not recorded)") == 3 * kMs);
  CHECK(TimeOf(answer, "host, not observed") == 5 * kMs);
}

TEST_CASE("get_gpu_idle_causes: operators of old traces are framework code, their steps are not",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    const auto add = [&](std::string_view name, int64_t start_ns, int64_t duration_ns) {
      builder.recorder().Add(RangeRow{.start_ns = kTraceStart + start_ns,
                                      .duration_ns = duration_ns,
                                      .thread_id = thread,
                                      .name_id = builder.recorder().InternName(name),
                                      .category = "Operator"});
    };
    add("ProfilerStep#1", 0, 9 * kMs);
    add("aten::conv2d", 2 * kMs, 1 * kMs);
    add("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 4 * kMs, 3 * kMs);
    AddOp(builder, 10, {"first", 0, 1 * kMs});
    AddLaunch(builder, {thread, 9 * kMs, 10 * kUs, 2});
    AddOp(builder, 10, {"second", 9 * kMs + 10 * kUs, 1 * kMs, 2});
  });

  const Json answer = trace.AskJson(kTool);

  CHECK(TimeOf(answer, "host in Python/framework (core use not recorded)") == 1 * kMs);
  CHECK(TimeOf(answer, "host waiting for the data loader") == 3 * kMs);
  CHECK(TimeOf(answer, "host, not observed") == 4 * kMs);
}

TEST_CASE("get_gpu_idle_causes: kernels without launch records leave the host unobserved",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    AddOp(builder, 10, {"first", 0, 1 * kMs});
    AddOp(builder, 10, {"second", 4 * kMs, 1 * kMs});
  });

  const Json answer = trace.AskJson(kTool);

  CHECK(TimeOf(answer, "host, not observed") == 3 * kMs);
  CHECK(answer["gaps"][0]["thread"] == "not recorded");
  CHECK(answer["notes"][0].get<std::string>().find("the host was not observed") == 0);
}

TEST_CASE("get_gpu_idle_causes: without device rows it speaks of CUDA calls and says so",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    builder.Range(thread, "start", 0, 1);
    builder.Call(thread, "cudaMalloc", 1 * kMs, 1 * kMs);
    builder.Call(thread, "cudaDeviceSynchronize", 202 * kMs, 8 * kMs);
    AddOffCpu(builder, thread, 100 * kMs, 50 * kMs, "lock");
    builder.Range(thread, "end", 310 * kMs, 0);
  });

  const Json answer = trace.AskJson(kTool);

  CHECK(answer["summary"]["view"] == "CUDA API");
  CHECK(answer["summary"]["span_ns"] == 310 * kMs);
  CHECK(answer["summary"]["idle_ns"] == 301 * kMs);
  CHECK(TimeOf(answer, "before the first operation") == 1 * kMs);
  CHECK(TimeOf(answer, "host waiting for a lock") == 50 * kMs);
  // The time after the last call is asked of the thread that feeds.
  CHECK(TimeOf(answer, "host on a core") == 150 * kMs + 100 * kMs);
  CHECK(
      answer["headline"].get<std::string>().find(
          "No CUDA call was in flight for 301.0 ms of 310.0 ms (97.1 %); 2 gaps of 100 ms or more "
          "make up 300.0 ms (96.8 %)") == 0);
  CHECK(answer["notes"][0].get<std::string>().find("API-level view") == 0);
}

TEST_CASE("get_gpu_idle_causes: devices are accounted for one by one", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    AddOp(builder, 10, {.name = "a", .start_ns = 0, .duration_ns = 10, .device_index = 0});
    AddOp(builder, 10, {.name = "a", .start_ns = 30, .duration_ns = 10, .device_index = 0});
    AddOp(builder, 10, {.name = "b", .start_ns = 10, .duration_ns = 5, .device_index = 1});
    AddOp(builder, 10, {.name = "b", .start_ns = 16, .duration_ns = 4, .device_index = 1});
  });

  const Json answer = trace.AskJson(kTool);
  const Json second = trace.AskJson(kTool, {{"gpu", 1}});

  CHECK(answer["summary"]["span_ns"] == 50);
  CHECK(answer["summary"]["idle_ns"] == 21);
  REQUIRE(answer["devices"].size() == 2);
  CHECK(answer["devices"][0]["idle_ns"] == 20);
  CHECK(answer["devices"][1]["idle_ns"] == 1);
  CHECK(second["summary"]["idle_ns"] == 1);
}

TEST_CASE("get_gpu_idle_causes: a window is its own denominator", "[tools]") {
  const BuiltTrace trace(&FillStarved);

  const Json answer = trace.AskJson(kTool, {{"since", "1ms"}, {"until", "3ms"}});

  CHECK(answer["summary"]["span_ns"] == 2 * kMs);
  CHECK(answer["summary"]["busy_ns"] == 20 * kUs);
  CHECK(TimeOf(answer, "host waiting for a disk") == 1 * kMs);
}

TEST_CASE("get_gpu_idle_causes: lists only gaps of min_gap, at most limit of them", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    for (int64_t i = 0; i < 6; ++i)
      AddOp(builder, 10, {"k", i * i * kMs, 100 * kUs});
  });

  const Json answer = trace.AskJson(kTool, {{"limit", 2}, {"min_gap", "4ms"}});

  CHECK(answer["gaps"].size() == 2);
  CHECK(answer["gaps_total_count"] == 3);
  CHECK(answer["gaps"][0]["duration_ns"] == 9 * kMs - 100 * kUs);
}

TEST_CASE("get_gpu_idle_causes: refuses traces without CUDA rows, unknown processes and lengths",
          "[tools]") {
  const BuiltTrace empty(
      [](TraceBuilder& builder) { builder.Range(builder.Thread(1, 1), "r", 0, 5); });
  const BuiltTrace trace(&FillStarved);

  CHECK(empty.Run(kTool).error().code == ErrorCode::kNotFound);
  CHECK(trace.Run(kTool, {{"process", "nobody"}}).error().message ==
        "no process nobody in the trace; there are: 10");
  CHECK(trace.Run(kTool, {{"gpu", 9}}).error().code == ErrorCode::kNotFound);
  CHECK(trace.Run(kTool, {{"min_gap", "soon"}}).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gpuwhy
