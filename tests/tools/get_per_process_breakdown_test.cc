// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tools/support/process_totals.h"

namespace gpuwhy {
namespace {

void OffCpu(TraceBuilder& trace, int64_t thread, int64_t start_ns, int64_t duration_ns) {
  trace.recorder().Add(OffCpuRow{.start_ns = kTraceStart + start_ns,
                                 .duration_ns = duration_ns,
                                 .thread_id = thread,
                                 .reason = "sleep"});
}

// A parent that uses CUDA for 10 s, a thread of it, and a worker that waits.
void FillFamily(TraceBuilder& trace) {
  Recorder& recorder = trace.recorder();
  const int64_t main = trace.Thread(10, 10);
  const int64_t helper = trace.Thread(10, 11);
  const int64_t worker = trace.Thread(20, 20);
  recorder.SetProcess(recorder.ProcessOf(10), {.name = "python3"});
  recorder.SetProcess(recorder.ProcessOf(20),
                      {.parent_id = recorder.ProcessOf(10), .name = "worker"});
  trace.Call(main, "cudaMalloc", 0, 2 * kMs);
  trace.Call(main, "cudaMalloc", 9'999 * kMs, kMs);
  trace.Call(main, "cuMemAlloc_v2", 0, kMs);
  OffCpu(trace, main, 1'000 * kMs, 500 * kMs);
  OffCpu(trace, helper, 2'000 * kMs, 5'001 * kMs);
  OffCpu(trace, worker, 3'000 * kMs, 7 * kMs);
  recorder.Add(HostEventRow{
      .start_ns = kTraceStart + 4 * kMs, .thread_id = worker, .kind = "page_alloc", .bytes = 4096});
}

TEST_CASE("get_per_process_breakdown: threads are folded into their process", "[tools]") {
  const BuiltTrace trace(&FillFamily);

  const Json answer = trace.AskJson("get_per_process_breakdown");

  REQUIRE(answer["processes"].size() == 2);
  const Json& parent = answer["processes"][0];
  CHECK(parent["pid"] == 10);
  CHECK(parent["role"] == "parent of 1");
  CHECK(parent["thread_count"] == 2);
  CHECK(parent["switch_count"] == 2);
  CHECK(parent["off_cpu_ns"] == 5'501 * kMs);
  CHECK(parent["main_thread_on_cpu_max_ns"] == 9'500 * kMs + 1);
  const Json& worker = answer["processes"][1];
  CHECK(worker["role"] == "child of 10");
  CHECK(worker["page_alloc_count"] == 1);
  CHECK(worker["page_alloc_bytes"] == 4096);
  CHECK_FALSE(answer.contains("threads"));
}

TEST_CASE("get_per_process_breakdown: runtime and driver calls are not added", "[tools]") {
  const BuiltTrace trace(&FillFamily);

  const Json answer = trace.AskJson("get_per_process_breakdown");

  CHECK(answer["processes"][0]["cuda_call_count"] == 2);
  CHECK(answer["processes"][0]["cuda_call_ns"] == 3 * kMs);
  CHECK(answer["cuda_operations"][1]["operation"] == "cuMemAlloc_v2");
  CHECK(answer["cuda_operations"][1]["layer"] == "driver");
}

TEST_CASE("get_per_process_breakdown: a wait of 5 s is tagged as a time-out", "[tools]") {
  const BuiltTrace trace(&FillFamily);

  const Json answer = trace.AskJson("get_per_process_breakdown", {{"threads", true}});

  REQUIRE(answer["threads"].size() == 3);
  CHECK(answer["threads"][0]["longest_wait"] == "");
  CHECK(answer["threads"][1]["tid"] == 11);
  CHECK(answer["threads"][1]["longest_wait"] == "timeout-shaped wait");
  CHECK(answer["notes"][0].get<std::string>().find("a timeout-shaped wait") != std::string::npos);
}

TEST_CASE("get_per_process_breakdown: only round waits are time-outs", "[tools]") {
  CHECK(IsTimeoutShaped(5'000'057'924));
  CHECK(IsTimeoutShaped(5'003'853'397));
  CHECK(IsTimeoutShaped(30'000'100'000));
  CHECK_FALSE(IsTimeoutShaped(4'999'000'000));
  CHECK_FALSE(IsTimeoutShaped(18'124'174'699));
  CHECK_FALSE(IsTimeoutShaped(1'000));
}

void TwoProcesses(TraceBuilder& trace, int64_t second_start_ns) {
  trace.Call(trace.Thread(10, 10), "cudaFree", 0, 10 * kMs);
  trace.Call(trace.Thread(20, 20), "cudaFree", second_start_ns, 10 * kMs);
}

std::string Notes(const BuiltTrace& trace) {
  return DumpJson(trace.AskJson("get_per_process_breakdown")["notes"]);
}

TEST_CASE("get_per_process_breakdown: processes share only when their work overlaps", "[tools]") {
  const BuiltTrace apart([](TraceBuilder& trace) { TwoProcesses(trace, 10 * kMs); });
  const BuiltTrace together([](TraceBuilder& trace) { TwoProcesses(trace, 9 * kMs); });

  CHECK(Notes(apart).find("never at the same time") != std::string::npos);
  CHECK(Notes(together).find("CUDA calls of several processes (device unknown)") !=
        std::string::npos);
}

TEST_CASE("get_per_process_breakdown: device records decide about sharing", "[tools]") {
  const auto fill = [](TraceBuilder& trace, int64_t second_device) {
    Recorder& recorder = trace.recorder();
    for (const int64_t pid : {10, 20}) {
      recorder.Add(GpuOpRow{.start_ns = kTraceStart + pid,
                            .duration_ns = kMs,
                            .gpu_id = recorder.GpuOf(pid == 10 ? 0 : second_device),
                            .process_id = recorder.ProcessOf(pid),
                            .kind = "kernel",
                            .name_id = recorder.InternName("k")});
    }
  };
  const BuiltTrace shared([&](TraceBuilder& trace) { fill(trace, 0); });
  const BuiltTrace separate([&](TraceBuilder& trace) { fill(trace, 1); });

  CHECK(Notes(shared).find("shared GPU") != std::string::npos);
  CHECK(Notes(separate).find("never at the same time on one device") != std::string::npos);
}

}  // namespace
}  // namespace gpuwhy
