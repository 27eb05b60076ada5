// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kTool = "get_kernel_breakdown";

// Computation 0-100 and 150-250, communication 80-180, a copy 300-310.
void Fill(TraceBuilder& trace) {
  const int64_t thread = trace.Thread(10, 10);
  AddLaunch(trace, {thread, 0, 4, 1});
  AddOp(trace, 10, {"void gemm<float>(int)", 10, 100, 1});
  AddLaunch(trace, {thread, 20, 30, 2});
  AddOp(trace, 10, {"ncclDevKernel_AllReduce", 90, 100, 2});
  AddLaunch(trace, {thread, 60, 4, 3});
  AddOp(trace, 10, {"void gemm<half>(int)", 160, 100, 3});
  AddOp(trace, 10, {.name = "Memcpy DtoH", .start_ns = 310, .duration_ns = 10, .kind = "memcpy"});
}

TEST_CASE("get_kernel_breakdown: busy time by class, exposed and hidden communication", "[tools]") {
  const BuiltTrace trace(&Fill);

  const Json answer = trace.AskJson(kTool);

  CHECK(answer["summary"]["span_ns"] == 310);
  CHECK(answer["summary"]["busy_ns"] == 260);
  CHECK(answer["summary"]["idle_ns"] == 50);
  CHECK(answer["summary"]["non_compute_ns"] == 60);
  CHECK(answer["summary"]["comm_exposed_ns"] == 50);
  CHECK(answer["classes"][0]["class"] == "compute");
  CHECK(answer["classes"][0]["union_ns"] == 200);
  CHECK(answer["classes"][1]["union_ns"] == 100);
  CHECK(answer["classes"][2]["class"] == "memory");
}

TEST_CASE("get_kernel_breakdown: launches are paired with kernels by correlation", "[tools]") {
  const BuiltTrace trace(&Fill);

  const Json launches = trace.AskJson(kTool)["launches"];

  CHECK(launches["launch_count"] == 3);
  CHECK(launches["pair_count"] == 3);
  CHECK(launches["unlaunched_count"] == 0);
  CHECK(launches["delay_start_median_ns"] == 70);
  CHECK(launches["delay_start_max_ns"] == 100);
  CHECK(launches["delay_end_median_ns"] == 40);
  CHECK(launches["depth_max_count"] == 2);
}

TEST_CASE("get_kernel_breakdown: short names merge template instances, class filters", "[tools]") {
  const BuiltTrace trace(&Fill);

  const Json merged = trace.AskJson(kTool, {{"short_names", true}})["operations"];
  const Json only = trace.AskJson(kTool, {{"class", "comm"}})["operations"];

  REQUIRE(merged.size() == 3);
  CHECK(merged[0]["name"] == "gemm");
  CHECK(merged[0]["call_count"] == 2);
  CHECK(merged[0]["total_ns"] == 200);
  REQUIRE(only.size() == 1);
  CHECK(only[0]["name"] == "ncclDevKernel_AllReduce");
}

TEST_CASE("get_kernel_breakdown: percentiles are nearest ranks and sync rows are no work",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    for (int64_t i = 1; i <= 200; ++i)
      AddOp(builder, 10, {"k", i * 1000, i});
    AddOp(builder, 10, {.name = "Stream Sync", .start_ns = 0, .duration_ns = 9, .kind = "sync"});
  });

  const Json row = trace.AskJson(kTool)["operations"][0];

  CHECK(row["call_count"] == 200);
  CHECK(row["p99_ns"] == 198);
  CHECK(row["max_ns"] == 200);
  CHECK(row["mean_ns"] == 100);
  CHECK(trace.AskJson(kTool)["operations_total_count"] == 1);
}

TEST_CASE("get_kernel_breakdown: says when the device was not observed", "[tools]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { builder.Call(builder.Thread(1, 1), "cudaLaunchKernel", 0, 5); });

  const auto answer = trace.Run(kTool);

  REQUIRE(answer.ok());
  CHECK(answer.value().headline.find("The device was not observed") == 0);
}

}  // namespace
}  // namespace gpuwhy
