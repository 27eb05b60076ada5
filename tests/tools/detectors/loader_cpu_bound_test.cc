// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kDetector = "loader-cpu-bound";
constexpr int64_t kUs = 1'000;

// Twelve batches, one a second, fed by `thread`.
void AddBatches(TraceBuilder& trace, int64_t thread) {
  for (int64_t i = 0; i < 12; ++i) {
    trace.Call(thread, "cudaStreamSynchronize", i * 1000 * kMs, 20 * kUs);
    trace.Call(thread, "cudaLaunchKernel", i * 1000 * kMs + kMs, kMs);
  }
}

TEST_CASE("loader-cpu-bound: a feeding thread on a core all the time is MEDIUM without stacks",
          "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    AddBatches(builder, thread);
    for (int64_t i = 0; i < 100; ++i)
      AddOffCpu(builder, thread, (i * 100 + 50) * kMs, 50 * kUs, "unknown");
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kMedium);
  CHECK(findings[0].title.find("was on a core 100.0 %") != std::string::npos);
  CHECK(std::get<int64_t>(findings[0].evidence[0].value) == 100 * 50 * kUs);
  CHECK(findings[0].missing == std::vector<std::string>{"stack samples of the host threads"});
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("loader-cpu-bound: a feeding thread that waits is another cause", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    AddBatches(builder, thread);
    for (int64_t i = 0; i < 100; ++i)
      AddOffCpu(builder, thread, (i * 100 + 5) * kMs, 83 * kMs, "unknown");
  });

  CHECK(FindingsOf(trace.db(), kDetector).empty());
}

TEST_CASE("loader-cpu-bound: workers that saturate the cores are overlap in time", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    AddBatches(builder, thread);
    AddOffCpu(builder, thread, 500 * kMs, kMs, "unknown");
    Recorder& recorder = builder.recorder();
    for (int64_t pid = 21; pid <= 22; ++pid) {
      const int64_t worker = builder.Thread(pid, pid);
      recorder.SetProcess(recorder.ProcessOf(pid), {.parent_id = recorder.ProcessOf(10)});
      for (int64_t i = 0; i < 1000; ++i)
        AddOffCpu(builder, worker, i * 10 * kMs, kMs, "unknown");
    }
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kMedium);
  CHECK(std::get<int64_t>(findings[0].evidence[0].value) == 2000);
  CHECK(findings[0].basis.find("overlap in time") != std::string::npos);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("loader-cpu-bound: loader ranges during device idle time are found", "[detectors]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 20; ++i) {
      AddLaunch(builder, {thread, i * 10 * kMs, 10 * kUs, i});
      AddOp(builder, 10, {"kernel", i * 10 * kMs + 10 * kUs, 2 * kMs, i});
      builder.Range(thread, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                    (i * 10 + 3) * kMs, 6 * kMs);
    }
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kMedium);
  CHECK(findings[0].lost_ns == 19 * 6 * kMs);
  CHECK(std::get<int64_t>(findings[0].evidence[0].value) == 20 * 6 * kMs);
  CHECK(findings[0].fix.find("num_workers") != std::string::npos);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

// Batches come late; what two workers did meanwhile is what `add_waits` records of each.
template <typename AddWaits>
BuiltTrace WithWorkers(const AddWaits& add_waits) {
  return BuiltTrace([&](TraceBuilder& builder) {
    const int64_t thread = builder.Thread(10, 10);
    for (int64_t i = 0; i < 20; ++i) {
      AddLaunch(builder, {thread, i * 10 * kMs, 10 * kUs, i});
      AddOp(builder, 10, {"kernel", i * 10 * kMs + 10 * kUs, 2 * kMs, i});
      builder.Range(thread, "DataLoader.next", (i * 10 + 3) * kMs, 6 * kMs);
      AddOffCpu(builder, thread, (i * 10 + 3) * kMs, 6 * kMs, "sleep");
    }
    Recorder& recorder = builder.recorder();
    for (int64_t pid = 21; pid <= 22; ++pid) {
      const int64_t worker = builder.Thread(pid, pid);
      recorder.SetProcess(recorder.ProcessOf(pid), {.parent_id = recorder.ProcessOf(10)});
      for (int64_t i = 0; i < 20; ++i)
        add_waits(builder, worker, i * 10 * kMs);
    }
  });
}

TEST_CASE("loader-cpu-bound: workers that crowd the cores get no advice to add workers",
          "[detectors]") {
  const BuiltTrace trace = WithWorkers([](TraceBuilder& builder, int64_t worker, int64_t at_ns) {
    AddOffCpu(builder, worker, at_ns, 4 * kMs, "preempted", 4 * kMs);
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kHigh);
  CHECK(findings[0].fix.find("no core is free") != std::string::npos);
  CHECK(EvidenceHolds(trace.db(), findings[0]));
}

TEST_CASE("loader-cpu-bound: workers that wait for a disk are another cause", "[detectors]") {
  const BuiltTrace trace = WithWorkers([](TraceBuilder& builder, int64_t worker, int64_t at_ns) {
    AddOffCpu(builder, worker, at_ns, 8 * kMs, "io");
  });

  CHECK(FindingsOf(trace.db(), kDetector).empty());
  CHECK(SilenceOf(trace.db(), kDetector).reason ==
        "the GPU waited 114.0 ms for the data loader, whose workers were at a disk for 80.2 % of "
        "their time");
}

TEST_CASE("loader-cpu-bound: children that sleep cost certainty, not the finding", "[detectors]") {
  const BuiltTrace trace = WithWorkers([](TraceBuilder& builder, int64_t worker, int64_t at_ns) {
    AddOffCpu(builder, worker, at_ns, 9 * kMs, "sleep");
  });

  const auto findings = FindingsOf(trace.db(), kDetector);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::kMedium);
  CHECK(findings[0].counter_test.find("(fails)") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
