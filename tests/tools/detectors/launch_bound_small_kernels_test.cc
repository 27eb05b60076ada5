// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "launch-bound-small-kernels";
constexpr int64_t kUs = 1'000;

// 200 kernels, one every 40 us, launched `ahead_ns` before they start.
void AddKernels(TraceBuilder& trace, int64_t kernel_ns, int64_t ahead_ns) {
  const int64_t thread = trace.Thread(10, 10);
  for (int64_t i = 0; i < 200; ++i) {
    const int64_t start_ns = kMs + i * 40 * kUs;
    AddLaunch(trace, {thread, start_ns - ahead_ns, 6 * kUs, i});
    AddOp(trace, 10, {"small", start_ns, kernel_ns, i});
  }
}

TEST_CASE("launch-bound-small-kernels: short kernels launched one by one are HIGH", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddKernels(builder, 4 * kUs, 10 * kUs); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].lost_ns == 199 * 36 * kUs);
  CHECK(findings[0].title.find("Kernels of 4.000 us (median) are launched every 40.00 us") !=
        std::string::npos);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("launch-bound-small-kernels: launches queued ahead or long kernels are not it",
          "[detectors]") {
  const BuiltTrace ahead([](TraceBuilder& builder) { AddKernels(builder, 4 * kUs, 500 * kUs); });
  const BuiltTrace busy([](TraceBuilder& builder) { AddKernels(builder, 38 * kUs, 10 * kUs); });

  CHECK(FindingsOf(ahead.db(), kDetector).empty());
  CHECK(FindingsOf(busy.db(), kDetector).empty());
  CHECK_FALSE(SilenceOf(busy.db(), kDetector).is_abstention);
}

}  // namespace
}  // namespace gpuwhy
