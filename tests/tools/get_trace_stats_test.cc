// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"

namespace gpuwhy {
namespace {

// 100 launches of 1..100 us in process 10, with a driver call inside each of the first ten, and one
// call of process 20.
void FillCalls(TraceBuilder& trace) {
  const int64_t thread = trace.Thread(10, 10);
  for (int64_t i = 1; i <= 100; ++i) {
    const int64_t id = trace.Call(thread, "cudaLaunchKernel", i * kMs, i * 1000);
    if (i > 10) continue;
    trace.recorder().Add(ApiCallRow{.start_ns = kTraceStart + i * kMs + 100,
                                    .duration_ns = 500,
                                    .thread_id = thread,
                                    .name_id = trace.recorder().InternName("cuLaunchKernel"),
                                    .parent_id = id});
  }
  trace.Call(trace.Thread(20, 20), "cudaFree", 200 * kMs, 7);
}

TEST_CASE("get_trace_stats: exact order statistics of rows", "[tools]") {
  const BuiltTrace trace(&FillCalls);

  const Json answer = trace.AskJson("get_trace_stats");

  const Json& launch = answer["api_call"][0];
  CHECK(launch["operation"] == "cudaLaunchKernel");
  CHECK(launch["event_count"] == 100);
  CHECK(launch["sum_ns"] == 5'050'000);
  CHECK(launch["min_ns"] == 1000);
  CHECK(launch["p50_ns"] == 50'000);
  CHECK(launch["p95_ns"] == 95'000);
  CHECK(launch["p99_ns"] == 99'000);
  CHECK(launch["max_ns"] == 100'000);
  CHECK_FALSE(answer.contains("counted"));
}

TEST_CASE("get_trace_stats: calls inside calls are marked and left out of the total", "[tools]") {
  const BuiltTrace trace(&FillCalls);

  const Json answer = trace.AskJson("get_trace_stats");

  CHECK(answer["api_call"][1]["nested_count"] == 10);
  const auto note = answer["notes"][0].get<std::string>();
  CHECK(note.find("10 of the 111 CUDA calls ran inside another") == 0);
  CHECK(note.find("101 calls, 5.050 ms") != std::string::npos);
}

TEST_CASE("get_trace_stats: filters by window, process and operation", "[tools]") {
  const BuiltTrace trace(&FillCalls);
  const auto first = [&](const Json& arguments) {
    return trace.AskJson("get_trace_stats", arguments)["api_call"][0];
  };

  // The trace starts with the first launch, 1 ms after kTraceStart.
  CHECK(first({{"since", "49.5ms"}, {"until", "59.5ms"}})["event_count"] == 10);
  CHECK(first({{"process", "20"}})["operation"] == "cudaFree");
  CHECK(first({{"operation", "cuLaunch"}})["event_count"] == 10);
  CHECK(trace.Run("get_trace_stats", {{"process", "30"}}).error().code == ErrorCode::kNotFound);
  CHECK(trace.Run("get_trace_stats", {{"source", "nonsense"}}).error().code ==
        ErrorCode::kInvalidArgument);
}

TEST_CASE("get_trace_stats: a recorder's counts are shown beside the rows it stored", "[tools]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) {
        builder.recorder().DisableRollUps();
        const int64_t thread = builder.Thread(10, 10);
        builder.Call(thread, "cudaMalloc", 0, 5 * kMs);
        builder.recorder().Add(LatencyRow{.bucket_ns = kTraceStart,
                                          .width_ns = 60'000 * kMs,
                                          .process_id = 1,
                                          .source = "api_call",
                                          .name_id = builder.recorder().InternName("cudaMalloc"),
                                          .event_count = 1000,
                                          .stored_count = 1,
                                          .sum_ns = 9 * kMs,
                                          .min_ns = 10,
                                          .max_ns = 5 * kMs});
      },
      {.kind = "ingero", .is_selective = true});

  const Json answer = trace.AskJson("get_trace_stats");

  CHECK(answer["headline"].get<std::string>().find("1 events stored of 1,000 counted") !=
        std::string::npos);
  CHECK(answer["api_call"][0]["event_count"] == 1);
  CHECK(answer["counted"][0]["event_count"] == 1000);
  CHECK(answer["counted"][0]["mean_ns"] == 9000);
}

TEST_CASE("get_trace_stats: many rows are answered from the roll-ups", "[tools]") {
  constexpr int64_t kCount = 500'001;
  const BuiltTrace trace([&](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < kCount; ++i)
      builder.Call(thread, "cudaLaunchKernel", i * 10'000, 1000 + i % 1000);
  });

  const Json answer = trace.AskJson("get_trace_stats");

  CHECK(answer["headline"].get<std::string>().find("per-second roll-ups") != std::string::npos);
  const Json& launch = answer["api_call"][0];
  CHECK(launch["event_count"] == kCount);
  CHECK(launch["min_ns"] == 1000);
  CHECK(launch["max_ns"] == 1999);
  CHECK(launch["p50_ns"].get<double>() == Approx(1499).epsilon(0.01));
  const Json part = trace.AskJson("get_trace_stats", {{"since", "1.2s"}, {"until", "3.5s"}});
  CHECK(part["api_call"][0]["event_count"] == 230'000);
}

}  // namespace
}  // namespace gpuwhy
