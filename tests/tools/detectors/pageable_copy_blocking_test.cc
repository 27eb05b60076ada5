// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "pageable-copy-blocking";
constexpr int64_t kUs = 1'000;

struct CopySpec {
  std::string_view host_memory;
  int64_t bytes = 1'000'000;
  int64_t host_ns = 3 * kMs;
};

// Twenty copies of 2 ms, one every 10 ms.
void AddCopies(TraceBuilder& trace, const CopySpec& spec) {
  Recorder& recorder = trace.recorder();
  const int64_t thread = trace.Thread(10, 10);
  for (int64_t i = 0; i < 20; ++i) {
    AddLaunch(trace, {thread, i * 10 * kMs, spec.host_ns, i, "cudaMemcpyAsync"});
    GpuOpRow row{.start_ns = kTraceStart + i * 10 * kMs + 10 * kUs, .duration_ns = 2 * kMs};
    row.gpu_id = recorder.GpuOf(0);
    row.process_id = recorder.ProcessOf(10);
    row.kind = "memcpy";
    row.name_id = recorder.InternName("Memcpy HtoD");
    row.correlation_id = i;
    row.bytes = spec.bytes;
    row.copy_kind = "H2D";
    row.host_memory = spec.host_memory;
    recorder.Add(row);
  }
}

TEST_CASE("pageable-copy-blocking: host time in pageable copies is HIGH", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddCopies(builder, {"pageable"}); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].lost_ns == 60 * kMs);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("pageable-copy-blocking: memory of unknown kind is MEDIUM at most", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddCopies(builder, {""}); });

  REQUIRE(FindingsOf(trace.db(), kDetector).size() == 1);
  CHECK(FindingsOf(trace.db(), kDetector)[0].severity == Severity::kMedium);
}

TEST_CASE("pageable-copy-blocking: pinned, small and quickly returning copies are fine",
          "[detectors]") {
  const BuiltTrace pinned([](TraceBuilder& builder) { AddCopies(builder, {"pinned"}); });
  const BuiltTrace small([](TraceBuilder& builder) { AddCopies(builder, {"pageable", 65'535}); });
  const BuiltTrace quick([](TraceBuilder& builder) {
    AddCopies(builder, {"pageable", 1'000'000, 10 * kUs});
  });

  CHECK(FindingsOf(pinned.db(), kDetector).empty());
  CHECK(FindingsOf(small.db(), kDetector).empty());
  CHECK(FindingsOf(quick.db(), kDetector).empty());
}

TEST_CASE("pageable-copy-blocking: calls alone clear copies that took next to nothing",
          "[detectors]") {
  const BuiltTrace little([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    builder.Call(thread, "cudaMemcpyAsync", 0, kMs);
    builder.Call(thread, "cudaLaunchKernel", 1000 * kMs, kMs);
  });
  const BuiltTrace much([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    builder.Call(thread, "cudaMemcpyAsync", 0, 500 * kMs);
    builder.Call(thread, "cudaLaunchKernel", 1000 * kMs, kMs);
  });

  CHECK(SilenceOf(little.db(), kDetector).reason == "all copy calls took 1.000 ms (0.1 %)");
  CHECK(SilenceOf(much.db(), kDetector).is_abstention);
}

}  // namespace
}  // namespace gpuwhy
