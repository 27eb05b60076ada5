// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "loader-io-bound";
constexpr int64_t kUs = 1'000;

void AddBlockIo(TraceBuilder& trace, int64_t thread, int64_t start_ns, std::string_view kind) {
  HostEventRow row{.start_ns = kTraceStart + start_ns, .duration_ns = 700 * kUs};
  row.thread_id = thread;
  row.kind = kind;
  row.bytes = 65'536;
  trace.recorder().Add(row);
}

// One read each millisecond, with the switch that covers it.
void AddReads(TraceBuilder& trace, int64_t thread) {
  for (int64_t i = 0; i < 100; ++i) {
    AddBlockIo(trace, thread, i * kMs + 5 * kUs, "block_read");
    AddOffCpu(trace, thread, i * kMs + 8 * kUs, 710 * kUs, "unknown");
  }
}

TEST_CASE("loader-io-bound: reads are paired with switches; without CUDA rows MEDIUM at most",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddReads(builder, builder.Thread(10, 10)); });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kMedium);
  CHECK(findings[0].lost_ns == 100 * 710 * kUs);
  CHECK(std::get<int64_t>(findings[0].evidence[0].value) == 100 * 700 * kUs);
  CHECK(findings[0].title.find("71.00 ms") != std::string::npos);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("loader-io-bound: waits whose reason is I/O inside device idle time are HIGH",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 20; ++i) {
      AddLaunch(builder, {thread, i * 10 * kMs, 10 * kUs, i});
      AddOp(builder, 10, {"kernel", i * 10 * kMs + 10 * kUs, 2 * kMs, i});
      AddOffCpu(builder, thread, (i * 10 + 3) * kMs, 5 * kMs, "io", 0);
    }
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].lost_ns == 19 * 5 * kMs);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("loader-io-bound: disk requests of the recorder and its journal are no cause",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t recorder = builder.Thread(30, 30);
    const int64_t journal = builder.Thread(31, 31);
    Recorder& rows = builder.recorder();
    rows.SetProcess(rows.ProcessOf(30), {.name = "ingero"});
    rows.SetProcess(rows.ProcessOf(31), {.name = "jbd2/nvme0n1p1-8"});
    for (int64_t i = 0; i < 33; ++i)
      AddBlockIo(builder, recorder, i * kMs, "block_write");
    for (int64_t i = 0; i < 65; ++i)
      AddBlockIo(builder, journal, i * kMs, "block_write");
  });

  const NoFinding silence = SilenceOf(trace.db(), kDetector);

  CHECK_FALSE(silence.is_abstention);
  CHECK(silence.reason == "all 98 disk requests are the recorder's own (33) or its journal's (65)");
}

TEST_CASE("loader-io-bound: a thread on its core cannot wait for a disk", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 12; ++i) {
      builder.Call(thread, "cudaLaunchKernel", i * 1000 * kMs, kMs);
      AddOffCpu(builder, thread, (i * 1000 + 500) * kMs, kMs, "unknown");
    }
  });

  const NoFinding silence = SilenceOf(trace.db(), kDetector);

  CHECK_FALSE(silence.is_abstention);
  CHECK(silence.reason.find("off a core for at most 0.1 %") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
