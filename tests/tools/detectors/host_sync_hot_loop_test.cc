// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "host-sync-hot-loop";
constexpr int64_t kUs = 1'000;

// Every 10 ms a kernel of 5 ms and a synchronisation that returns when it ends; the next kernel
// starts `idle_ns` later.
void AddLoop(TraceBuilder& trace, int64_t idle_ns, int64_t count = 20) {
  const int64_t thread = trace.Thread(10, 10);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start_ns = i * (5 * kMs + idle_ns);
    AddLaunch(trace, {thread, start_ns, 5 * kUs, i});
    AddOp(trace, 10, {"kernel", start_ns, 5 * kMs, i});
    trace.Call(thread, "cudaStreamSynchronize", start_ns + kMs, 4 * kMs + 5 * kUs);
  }
}

TEST_CASE("host-sync-hot-loop: a sync costs the idle time after it", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddLoop(builder, 2 * kMs); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].lost_ns == 19 * (2 * kMs - 5 * kUs));
  CHECK(findings[0].row_ids.size() == 5);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("host-sync-hot-loop: many syncs on a busy device are harmless", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddLoop(builder, 100 * kUs, 1000); });

  CHECK(SilenceOf(trace.db(), kDetector).reason.find("harmless, it was busy") != std::string::npos);
}

TEST_CASE("host-sync-hot-loop: idle time inside the data loader is the loader's", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    AddLoop(builder, 5 * kMs);
    for (int64_t i = 0; i < 20; ++i)
      builder.Range(builder.Thread(10, 10), "enumerate(DataLoader)#x", i * 10 * kMs + 5'010 * kUs,
                    4'900 * kUs);
  });

  CHECK(FindingsOf(trace.db(), kDetector).empty());
}

TEST_CASE("host-sync-hot-loop: without device rows it abstains", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    builder.Call(builder.Thread(10, 10), "cudaStreamSynchronize", 0, kMs);
  });

  CHECK(SilenceOf(trace.db(), kDetector).is_abstention);
  CHECK(SilenceOf(trace.db(), kDetector).reason.find("device rows") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
