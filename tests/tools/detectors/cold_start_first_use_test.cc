// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "cold-start-first-use";
constexpr int64_t kUs = 1'000;

// 100 launches, one every 100 ms, of which those at `slow` take 60 ms.
void AddLaunches(TraceBuilder& trace, const std::vector<int64_t>& slow) {
  const int64_t thread = trace.Thread(10, 10);
  for (int64_t i = 0; i < 100; ++i) {
    const bool is_slow = std::find(slow.begin(), slow.end(), i) != slow.end();
    trace.Call(thread, "cudaLaunchKernel", i * 100 * kMs, is_slow ? 60 * kMs : 10 * kUs);
  }
}

TEST_CASE("cold-start-first-use: slow first calls are INFO, however long", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddLaunches(builder, {0, 1, 2}); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kInfo);
  CHECK(findings[0].lost_ns == 180 * kMs);
  CHECK(std::get<int64_t>(findings[0].evidence[0].value) == 3);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("cold-start-first-use: calls that stay slow are no start-up", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddLaunches(builder, {0, 1, 50, 90}); });

  CHECK(FindingsOf(trace.db(), kDetector).empty());
  CHECK_FALSE(SilenceOf(trace.db(), kDetector).is_abstention);
}

TEST_CASE("cold-start-first-use: start-up below a thousandth of the trace is not told",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 100; ++i)
      builder.Call(thread, "cudaLaunchKernel", i * 1000 * kMs, i == 0 ? 26 * kMs : 73 * kUs);
  });

  CHECK(SilenceOf(trace.db(), kDetector).reason == "slow first calls took 26.00 ms in all");
}

}  // namespace
}  // namespace gpuwhy
