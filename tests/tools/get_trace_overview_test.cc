// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kTool = "get_trace_overview";
constexpr LossKind kLost = {"test_lost", LossSeverity::kDataLoss, "gone", "look"};

void Fill(TraceBuilder& trace) {
  const int64_t thread = trace.Thread(10, 10);
  for (int64_t i = 0; i < 4; ++i) {
    const std::string step = "ProfilerStep#" + std::to_string(i);
    trace.Range(thread, step, i * 100 * kMs, (90 + i) * kMs);
    AddLaunch(trace, {thread, i * 100 * kMs, 10'000, i + 1});
    AddOp(trace, 10, {"gemm", i * 100 * kMs + 20'000, 50 * kMs, i + 1});
  }
  trace.recorder().Count(kLost, 3);
}

TEST_CASE("get_trace_overview: busy and idle share, steps, events, collectors and losses",
          "[tools]") {
  const BuiltTrace trace(
      &Fill, {.kind = "kineto", .host = "node-1", .cpu_count = 8, .tool_version = "torch 2.4"});

  const Json answer = trace.AskJson(kTool);

  CHECK(answer["activity"]["span_ns"] == 350 * kMs);
  CHECK(answer["activity"]["busy_ns"] == 200 * kMs);
  CHECK(answer["activity"]["compute_ns"] == 200 * kMs);
  CHECK(answer["activity"]["step_count"] == 4);
  CHECK(answer["activity"]["step_median_ns"] == 91 * kMs);
  CHECK(answer["recorded"]["host"] == "node-1");
  CHECK(answer["recorded"]["cpu_count"] == 8);
  CHECK(answer["events"][0]["table"] == "api_call");
  CHECK(answer["events"][0]["stored_count"] == 4);
  CHECK(answer["processes"][0]["event_count"] == 12);
  CHECK(answer["collectors"]["absent"].get<std::string>().find("kernel scheduling") !=
        std::string::npos);
  CHECK(answer["losses"][0]["count"] == 3);
  CHECK(answer["headline"].get<std::string>().find("the device was busy 200.0 ms of 350.0 ms "
                                                   "(57.1 %)") != std::string::npos);
}

TEST_CASE("get_trace_overview: without device rows it gives the API-level view", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    builder.Call(thread, "cudaMalloc", 0, 1 * kMs);
    builder.Call(thread, "cudaFree", 9 * kMs, 1 * kMs);
  });

  const Json answer = trace.AskJson(kTool);

  CHECK(answer["activity"]["view"] == "CUDA API");
  CHECK(answer["activity"]["idle_ns"] == 8 * kMs);
}

TEST_CASE("get_trace_overview: a trace without CUDA rows is described all the same", "[tools]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { builder.Range(builder.Thread(1, 1), "r", 0, 5); });

  const Answer answer = trace.Ask(kTool);

  CHECK(answer.headline.find("neither device operations nor CUDA calls") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
