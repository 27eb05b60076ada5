// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "cpu-contention";
constexpr int64_t kUs = 1'000;

// Twenty kernels of 2 ms every 10 ms; between them the feeding thread waits 5 ms for a core that
// `aggressor` took (0: not recorded).
void AddContention(TraceBuilder& trace, int64_t thread, int64_t aggressor) {
  for (int64_t i = 0; i < 20; ++i) {
    AddLaunch(trace, {thread, i * 10 * kMs, 10 * kUs, i});
    AddOp(trace, 10, {"kernel", i * 10 * kMs + 10 * kUs, 2 * kMs, i});
    OffCpuRow row{.start_ns = kTraceStart + (i * 10 + 3) * kMs, .duration_ns = 5 * kMs};
    row.thread_id = thread;
    row.runnable_ns = 5 * kMs;
    row.reason = "preempted";
    if (aggressor != 0) row.preemptor_thread_id = aggressor;
    trace.recorder().Add(row);
  }
}

TEST_CASE("cpu-contention: waiting for a core in idle time is HIGH and names who had it",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    AddContention(builder, builder.Thread(10, 10), builder.Thread(77, 77));
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].lost_ns == 19 * 5 * kMs);
  // The twentieth wait comes after the last operation: it cost no device time.
  CHECK(std::get<std::string>(findings[0].evidence[3].value) == "process 77 main thread 95.00 ms");
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("cpu-contention: without the other party it is no more than MEDIUM", "[detectors]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { AddContention(builder, builder.Thread(10, 10), 0); });

  REQUIRE(FindingsOf(trace.db(), kDetector).size() == 1);
  CHECK(FindingsOf(trace.db(), kDetector)[0].severity == Severity::kMedium);
}

TEST_CASE("cpu-contention: ready beside idle CPUs is a quota or a mask", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    AddContention(builder, builder.Thread(10, 10), 0);
    builder.recorder().AddCounterValue("system.cpu_pct", "pct", kTraceStart + 100 * kMs, 30);
  });

  const NoFinding silence = SilenceOf(trace.db(), kDetector);

  CHECK_FALSE(silence.is_abstention);
  CHECK(silence.reason.find("a quota or an affinity mask") != std::string::npos);
}

TEST_CASE("cpu-contention: undivided switches only bound it", "[detectors]") {
  const BuiltTrace harmless([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 12; ++i) {
      builder.Call(thread, "cudaLaunchKernel", i * 1000 * kMs, kMs);
      AddOffCpu(builder, thread, (i * 1000 + 500) * kMs, kMs, "unknown");
    }
  });
  const BuiltTrace open([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 12; ++i) {
      builder.Call(thread, "cudaLaunchKernel", i * 1000 * kMs, kMs);
      AddOffCpu(builder, thread, (i * 1000 + 100) * kMs, 333 * kMs, "unknown");
    }
  });

  CHECK(SilenceOf(harmless.db(), kDetector).reason.find("off its core for 0.1 %") !=
        std::string::npos);
  CHECK_FALSE(SilenceOf(harmless.db(), kDetector).is_abstention);
  CHECK(SilenceOf(open.db(), kDetector).is_abstention);
}

}  // namespace
}  // namespace gpuwhy
