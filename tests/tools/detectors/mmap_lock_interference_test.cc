// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "mmap-lock-interference";
constexpr int64_t kUs = 1'000;

// Twenty kernels of 2 ms every 10 ms; between them the feeding thread works.
void AddKernels(TraceBuilder& trace, int64_t thread) {
  for (int64_t i = 0; i < 20; ++i) {
    AddLaunch(trace, {thread, i * 10 * kMs, 10 * kUs, i});
    AddOp(trace, 10, {"kernel", i * 10 * kMs + 10 * kUs, 2 * kMs, i});
  }
}

void AddLock(TraceBuilder& trace, std::string_view kind, int64_t start_ns, int64_t duration_ns,
             int64_t thread, int64_t other) {
  HostEventRow row{.start_ns = kTraceStart + start_ns, .duration_ns = duration_ns};
  row.kind = kind;
  row.thread_id = thread;
  if (other != 0) row.other_thread_id = other;
  trace.recorder().Add(row);
}

// 4 ms before each launch, with the device idle.
void AddWaits(TraceBuilder& trace, int64_t thread, int64_t holder) {
  for (int64_t i = 0; i < 19; ++i)
    AddLock(trace, "mmap_lock", (i * 10 + 5) * kMs, 4 * kMs, thread, holder);
}

TEST_CASE("mmap-lock-interference: a reader that stops the feeder is named, HIGH by share",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    AddKernels(builder, feeder);
    AddWaits(builder, feeder, builder.Thread(77, 77));
    AddLock(builder, "foreign_mm_lock", 5 * kMs, 150 * kMs, feeder, builder.Thread(77, 77));
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].lost_ns == 19 * 4 * kMs);
  CHECK(findings[0].fix.starts_with("stop an unnamed process or let it look less often"));
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("mmap-lock-interference: another thread of the process is told from a stranger",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    AddKernels(builder, feeder);
    AddWaits(builder, feeder, builder.Thread(10, 11));
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].title.ends_with(", held by another of its threads"));
  CHECK(findings[0].fix.starts_with("map and unmap less"));
}

TEST_CASE("mmap-lock-interference: waits whose holder nobody saw are no more than MEDIUM",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    AddKernels(builder, feeder);
    AddWaits(builder, feeder, 0);
  });

  REQUIRE(FindingsOf(trace.db(), kDetector).size() == 1);
  CHECK(FindingsOf(trace.db(), kDetector)[0].severity == Severity::kMedium);
}

TEST_CASE("mmap-lock-interference: a reader for whom nobody waits is no finding", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    AddKernels(builder, feeder);
    AddLock(builder, "foreign_mm_lock", 5 * kMs, 150 * kMs, feeder, builder.Thread(77, 77));
  });

  const NoFinding silence = SilenceOf(trace.db(), kDetector);

  CHECK_FALSE(silence.is_abstention);
  CHECK(silence.reason.find("though other processes held it 1 times") != std::string::npos);
}

TEST_CASE("mmap-lock-interference: abstains where such waits were not recorded", "[detectors]") {
  const BuiltTrace trace(
      [](TraceBuilder& builder) { AddKernels(builder, builder.Thread(10, 10)); });

  CHECK(SilenceOf(trace.db(), kDetector).is_abstention);
}

}  // namespace
}  // namespace gpuwhy
