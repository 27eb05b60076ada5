// SPDX-License-Identifier: Apache-2.0
// The device tools on every real Kineto trace of reference.json, which was computed by independent
// means: exact to the nanosecond, names and counts included.
#include <cmath>
#include <fstream>

#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"

namespace gpuwhy {
namespace {

constexpr size_t kDefaultAnswerChars = 6000;  // 1,500 tokens of four characters

Json Reference() {
  std::ifstream file(SharedData("reference.json"));
  return Json::parse(file)["sets"];
}

int64_t Ns(const Json& us) {
  return std::llround(us.get<double>() * 1000);
}

Json Ask(const TraceDb& db, std::string_view tool, const Json& arguments = Json::object()) {
  const auto answer = RunToolOn(db, tool, arguments);
  if (!answer.ok()) FAIL(answer.error().message);
  return Json::parse(RenderJson(answer.value()));
}

int64_t ClassNs(const Json& answer, const std::string& name) {
  for (const Json& row : answer["classes"]) {
    if (row["class"] == name) return row["union_ns"].get<int64_t>();
  }
  return 0;
}

void CheckBreakdown(const Json& answer, const Json& expected) {
  CHECK(answer["summary"]["span_ns"] == Ns(expected["span_us"]));
  CHECK(answer["summary"]["busy_ns"] == Ns(expected["busy_us"]));
  CHECK(answer["summary"]["idle_ns"] == Ns(expected["idle_us"]));
  CHECK(answer["summary"]["non_compute_ns"] == Ns(expected["non_compute_us"]));
  CHECK(ClassNs(answer, "compute") == Ns(expected["compute_us"]));
  CHECK(ClassNs(answer, "comm") == Ns(expected["comm_us"]));
  CHECK(ClassNs(answer, "memory") == Ns(expected["memory_us"]));
  CHECK(ClassNs(answer, "other") == Ns(expected["other_us"]));
  if (expected["comm_us"] != 0.0) {
    CHECK(answer["summary"]["comm_exposed_ns"] == Ns(expected["comm_exposed_us"]));
  }
}

void CheckTopKernels(const Json& answer, const Json& expected) {
  for (const Json& kernel : expected) {
    INFO(kernel["name"].get<std::string>());
    bool is_found = false;
    for (const Json& row : answer["operations"]) {
      is_found = is_found ||
                 (row["name"] == kernel["name"] && row["total_ns"] == Ns(kernel["total_us"]) &&
                  row["call_count"] == kernel["calls"] && row["max_ns"] == Ns(kernel["max_us"]));
    }
    CHECK(is_found);
  }
}

void CheckLaunches(const Json& launches, const Json& expected) {
  if (expected["launches"] == 0) return;
  CHECK(launches["launch_count"] == expected["launches"]);
  CHECK(launches["pair_count"] == expected["pairs"]);
  CHECK(launches["unlaunched_count"] == expected["kernels_without_a_LaunchKernel_record"]);
  if (expected["pairs"] == 0) return;
  CHECK(launches["delay_start_max_ns"] == Ns(expected["delay_start_us"]["max"]));
  // The reference rounds the mean of two middle values, we cut it.
  CHECK(std::abs(launches["delay_start_median_ns"].get<int64_t>() -
                 Ns(expected["delay_start_us"]["median"])) <= 1);
  CHECK(std::abs(launches["delay_end_median_ns"].get<int64_t>() -
                 Ns(expected["delay_end_us"]["median"])) <= 1);
}

void CheckLedger(const Json& answer, const Json& expected) {
  int64_t sum_ns = 0;
  for (const Json& row : answer["causes"])
    sum_ns += row["time_ns"].get<int64_t>();
  CHECK(answer["summary"]["idle_ns"] == Ns(expected["idle_us"]));
  CHECK(answer["summary"]["busy_ns"] == Ns(expected["busy_us"]));
  CHECK(sum_ns == Ns(expected["idle_us"]));
}

void CheckSizes(const TraceDb& db) {
  for (const char* tool : {"get_trace_overview", "get_gpu_idle_causes", "get_kernel_breakdown"}) {
    INFO(tool);
    const auto answer = RunToolOn(db, tool, Json::object());
    if (answer.ok()) CHECK(RenderText(answer.value()).size() <= kDefaultAnswerChars);
  }
}

TEST_CASE("kineto: busy, idle, classes, kernels, launches and steps equal the reference",
          "[shared]") {
  const Json reference = Reference();
  for (const auto& [set, content] : reference.items()) {
    for (const Json& rank : content["ranks"]) {
      INFO(rank["file"].get<std::string>());
      const auto imported = Imported(SharedData(rank["file"]));
      REQUIRE(imported.ok());
      const TraceDb& db = imported.value();

      const Json kernels = Ask(db, "get_kernel_breakdown", {{"limit", 500}});
      const Json overview = Ask(db, "get_trace_overview");

      CheckBreakdown(kernels, rank["breakdown"]);
      CheckTopKernels(kernels, rank["top_kernels"]);
      CheckLaunches(kernels["launches"], rank["launch"]);
      CheckLedger(Ask(db, "get_gpu_idle_causes"), rank["breakdown"]);
      CHECK(overview["activity"]["busy_ns"] == Ns(rank["breakdown"]["busy_us"]));
      CHECK(overview["activity"].value("step_count", 0) == rank["profiler_steps"]["count"]);
      CheckSizes(db);
    }
  }
}

TEST_CASE("data loader: no CUDA call in flight, eight long gaps, the feeding thread on a core",
          "[shared]") {
  const auto imported = Imported(SharedData("ingero-db/pytorch-dataloader-starvation.db"));
  REQUIRE(imported.ok());

  const Json answer = Ask(imported.value(), "get_gpu_idle_causes", {{"min_gap", "100ms"}});

  CHECK(answer["summary"]["view"] == "CUDA API");
  // Union of all calls 525,236,553 ns; the trace ends with the stamp of the last event.
  CHECK(answer["summary"]["busy_ns"] == 525'236'553);
  CHECK(answer["gaps_total_count"] == 8);
  const std::vector<int64_t> lengths_ms = {26'696, 12'406, 6'638, 6'365,
                                           6'260,  6'203,  6'181, 5'529};
  REQUIRE(answer["gaps"].size() == lengths_ms.size());
  for (size_t i = 0; i < lengths_ms.size(); ++i) {
    const double ms = answer["gaps"][i]["duration_ns"].get<double>() / 1e6;
    CHECK(std::llround(ms) == lengths_ms[i]);
    CHECK(answer["gaps"][i]["thread"].get<std::string>().find("2233") != std::string::npos);
  }
  CHECK(answer["headline"].get<std::string>().find("(99.1 %)") != std::string::npos);
  CheckSizes(imported.value());
}

}  // namespace
}  // namespace gpuwhy
