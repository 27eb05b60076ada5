// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "gpu-starved";
constexpr int64_t kUs = 1'000;

// Kernels of `busy_ns` that start every 10 ms, each launched just before.
void AddSteps(TraceBuilder& trace, int64_t thread, int64_t busy_ns) {
  for (int64_t i = 0; i < 20; ++i) {
    AddLaunch(trace, {thread, i * 10 * kMs, 10 * kUs, i});
    AddOp(trace, 10, {"kernel", i * 10 * kMs + 20 * kUs, busy_ns, i});
  }
}

// Calls every second for ten seconds, each time a launch and a synchronisation.
void AddApiCalls(TraceBuilder& trace, int64_t thread, int64_t sync_ns) {
  for (int64_t i = 0; i < 12; ++i) {
    trace.Call(thread, "cudaStreamSynchronize", i * 1000 * kMs, sync_ns);
    trace.Call(thread, "cudaLaunchKernel", i * 1000 * kMs + sync_ns + kMs, kMs);
  }
}

TEST_CASE("gpu-starved: a device that idles 90 % of the time is HIGH", "[detectors]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { AddSteps(builder, builder.Thread(10, 10), kMs); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].lost_ns == 19 * 9 * kMs);
  CHECK(findings[0].title.find("171.0 ms of 191.0 ms") != std::string::npos);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("gpu-starved: 15 % idle time is MEDIUM, a busy device is silent", "[detectors]") {
  const BuiltTrace medium(
      [](TraceBuilder& builder) { AddSteps(builder, builder.Thread(10, 10), 8 * kMs); });
  const BuiltTrace busy(
      [](TraceBuilder& builder) { AddSteps(builder, builder.Thread(10, 10), 9 * kMs); });

  REQUIRE(FindingsOf(medium.db(), kDetector).size() == 1);
  CHECK(FindingsOf(medium.db(), kDetector)[0].severity == Severity::kMedium);
  CHECK(FindingsOf(busy.db(), kDetector).empty());
  CHECK_FALSE(SilenceOf(busy.db(), kDetector).is_abstention);
}

TEST_CASE("gpu-starved: launches without device rows refuse accounting", "[detectors]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) {
        const int64_t thread = builder.Thread(10, 10);
        for (int64_t i = 0; i < 40; ++i)
          AddLaunch(builder, {thread, i * 200 * kMs, 10 * kUs, i});
      },
      {.kind = "kineto"});

  const NoFinding silence = SilenceOf(trace.db(), kDetector);

  CHECK(silence.is_abstention);
  CHECK(silence.reason.find("device rows are missing") != std::string::npos);
}

TEST_CASE("gpu-starved: the API view is HIGH when syncs after gaps return at once", "[detectors]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { AddApiCalls(builder, builder.Thread(10, 10), 20 * kUs); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].counter_test.find(
            "11 of 11 gaps end with one, the longest took 20.00 us (holds)") != std::string::npos);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("gpu-starved: the API view is no more than MEDIUM when the device was at work",
          "[detectors]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { AddApiCalls(builder, builder.Thread(10, 10), 300 * kMs); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kMedium);
  CHECK(findings[0].counter_test.find("(fails)") != std::string::npos);
}

TEST_CASE("gpu-starved: a feeder that sleeps by choice starves nobody", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    AddApiCalls(builder, thread, 20 * kUs);
    for (int64_t i = 0; i < 200; ++i)
      AddOffCpu(builder, thread, i * 55 * kMs, 50 * kMs + 60 * kUs, "unknown");
  });

  const NoFinding silence = SilenceOf(trace.db(), kDetector);

  CHECK_FALSE(silence.is_abstention);
  CHECK(silence.reason.find("sleeps voluntarily: 200 waits of 50.06 ms") != std::string::npos);
}

TEST_CASE("gpu-starved: slow first calls are not counted as starvation", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    AddLaunch(builder, {thread, 0, 10 * kUs, 100});
    AddOp(builder, 10, {"first", 0, 1 * kUs, 100});
    for (int64_t i = 0; i < 5; ++i)
      builder.Call(thread, "cudaFuncGetAttributes", kMs + i * 100 * kMs, i == 0 ? 99 * kMs : kUs);
    for (int64_t i = 0; i < 40; ++i) {
      const int64_t start_ns = (100 + i * 10) * kMs;
      AddLaunch(builder, {thread, start_ns, 10 * kUs, i});
      AddOp(builder, 10, {"kernel", start_ns + 10 * kUs, 9'900 * kUs, i});
    }
  });

  const NoFinding silence = SilenceOf(trace.db(), kDetector);

  CHECK(silence.reason.find("without start-up") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
