// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tools/support/callsites.h"

namespace gpuwhy {
namespace {

int64_t Callsite(Recorder& recorder, std::string_view outer, std::string_view inner) {
  const std::array frames = {
      recorder.InternFrame(
          {.kind = "python", .function_name = outer, .file = "/a/train.py", .line = 12}),
      recorder.InternFrame({.kind = "native", .function_name = inner, .module = "/lib/libc10.so"})};
  return recorder.InternCallsite(frames);
}

TEST_CASE("get_call_stacks: calls are grouped by recorded stack, the heaviest first", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    Recorder& recorder = builder.recorder();
    const int64_t thread = builder.Thread(10, 10);
    const int64_t light = Callsite(recorder, "eval", "alloc<int>(unsigned long)");
    const int64_t heavy = Callsite(recorder, "train", "alloc<int>(unsigned long)");
    for (int64_t i = 0; i < 5; ++i) {
      recorder.Add(ApiCallRow{.start_ns = kTraceStart + i * kMs,
                              .duration_ns = 1000 * (i + 1),
                              .thread_id = thread,
                              .name_id = recorder.InternName("cudaMalloc"),
                              .callsite_id = i < 2 ? light : heavy});
    }
  });

  const Json stacks = trace.AskJson("get_call_stacks")["call_stacks"];

  REQUIRE(stacks.size() == 2);
  CHECK(stacks[0]["stack"] == "libc10.so!alloc <- train (train.py:12)");
  CHECK(stacks[0]["evidence"]["call_count"] == 3);
  CHECK(stacks[0]["evidence"]["sum_ns"] == 12'000);
  CHECK(stacks[0]["evidence"]["max_ns"] == 5'000);
  CHECK(stacks[1]["evidence"]["call_count"] == 2);
  CHECK(trace.Run("get_call_stacks", {{"operation", "cudaFree"}}).error().code ==
        ErrorCode::kNotFound);
}

// train contains two operators; each launches the kernel k once, for 30 and 5 us.
void FillRanges(TraceBuilder& builder) {
  Recorder& recorder = builder.recorder();
  const int64_t thread = builder.Thread(10, 10);
  const int64_t other = builder.Thread(10, 11);
  builder.Range(thread, "train", 0, 10 * kMs);
  builder.Range(thread, "aten::mm", 0, 2 * kMs);
  builder.Range(thread, "aten::add", 4 * kMs, 2 * kMs);
  builder.Range(other, "elsewhere", 0, 10 * kMs);
  for (const int64_t correlation : {1, 2}) {
    recorder.Add(ApiCallRow{.start_ns = kTraceStart + (correlation == 1 ? 1 : 5) * kMs,
                            .duration_ns = 1000 * correlation,
                            .thread_id = thread,
                            .name_id = recorder.InternName("cudaLaunchKernel"),
                            .correlation_id = correlation});
    recorder.Add(GpuOpRow{.start_ns = kTraceStart + 7 * kMs,
                          .duration_ns = correlation == 1 ? 30'000 : 5'000,
                          .gpu_id = recorder.GpuOf(0),
                          .process_id = recorder.ProcessOf(10),
                          .kind = "kernel",
                          .name_id = recorder.InternName("k"),
                          .correlation_id = correlation});
  }
}

TEST_CASE("get_call_stacks: a kernel is shown under the ranges around its launch", "[tools]") {
  const BuiltTrace trace(&FillRanges);

  const Json stacks = trace.AskJson("get_call_stacks", {{"operation", "k"}})["range_stacks"];

  REQUIRE(stacks.size() == 2);
  CHECK(stacks[0]["title"] == "k");
  CHECK(stacks[0]["stack"] == "aten::mm <- train");
  CHECK(stacks[0]["evidence"]["sum_ns"] == 30'000);
  CHECK(stacks[1]["stack"] == "aten::add <- train");
}

TEST_CASE("get_call_stacks: without an operation the calls are grouped by their ranges",
          "[tools]") {
  const BuiltTrace trace(&FillRanges);

  const Json stacks = trace.AskJson("get_call_stacks", {{"depth", 1}})["range_stacks"];

  REQUIRE(stacks.size() == 2);
  CHECK(stacks[0]["title"] == "cudaLaunchKernel");
  CHECK(stacks[0]["stack"] == "aten::add");
}

TEST_CASE("get_call_stacks: a trace without stacks says what records them", "[tools]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { builder.Call(builder.Thread(10, 10), "cudaFree", 0, 1); });

  const Json answer = trace.AskJson("get_call_stacks");

  CHECK(answer["headline"].get<std::string>().find("No call stack") == 0);
  CHECK(answer["notes"].size() == 1);
}

TEST_CASE("get_call_stacks: CPU samples have shares", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    Recorder& recorder = builder.recorder();
    const int64_t thread = builder.Thread(10, 10);
    recorder.AddSample(kTraceStart, thread, Callsite(recorder, "f", "read"), 3);
    recorder.AddSample(kTraceStart + 1, thread, Callsite(recorder, "g", "write"), 1);
  });

  const Json samples = trace.AskJson("get_call_stacks")["samples"];

  REQUIRE(samples.size() == 2);
  CHECK(samples[0]["title"] == "libc10.so!read");
  CHECK(samples[0]["evidence"]["share_pct"] == 75);
}

TEST_CASE("get_call_stacks: samples are counted by what the thread was doing", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    Recorder& recorder = builder.recorder();
    const int64_t thread = builder.Thread(10, 10);
    const int64_t other = builder.Thread(11, 11);
    recorder.AddSample(kTraceStart, thread, Callsite(recorder, "main", "take_gil"), 3);
    recorder.AddSample(kTraceStart + 1, thread, Callsite(recorder, "main", "compute"), 1);
    recorder.AddSample(kTraceStart + 1, other, Callsite(recorder, "main", "take_gil"), 5);
  });

  const Json all = trace.AskJson("get_call_stacks")["sample_classes"];
  const Json one = trace.AskJson("get_call_stacks", {{"process", "10"}})["sample_classes"];

  REQUIRE(all.size() == 2);
  CHECK(all[0]["class"] == "gil_wait");
  CHECK(all[0]["sample_count"] == 8);
  REQUIRE(one.size() == 2);
  CHECK(one[0]["sample_count"] == 3);
  CHECK(one[0]["share_pct"] == 75);
}

TEST_CASE("get_call_stacks: deep stacks are cut and say so", "[tools]") {
  CHECK(JoinStack({"a", "b", "c"}, 2) == "a <- b <- (1 more)");
  CHECK(JoinStack({"a"}, 2) == "a");
  CHECK(ShortFunctionName("void at::f<int, 4>(float*)") == "at::f");
}

}  // namespace
}  // namespace gpuwhy
