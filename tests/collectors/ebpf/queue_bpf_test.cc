// SPDX-License-Identifier: Apache-2.0
// The device's queue, as recorded calls prove it, against what the simulated device did.
#include <algorithm>

#include "tests/catch.h"
#include "tests/collectors/ebpf/recorded.h"
#include "tests/examples/sim_calls.h"

namespace gpuwhy {
namespace {

struct Span {
  int64_t start_ns;
  int64_t end_ns;
};

// Between stretches of queued work, on the clock of the log.
std::vector<Span> ProvenIdle(const RecordedRun& run) {
  std::vector<Span> idle;
  int64_t end_ns = 0;
  const auto read = [&](const Row& row) {
    const int64_t start_ns = row.Int(0) - run.clock_offset_ns;
    if (end_ns != 0) idle.push_back({end_ns, start_ns});
    end_ns = start_ns + row.Int(1);
  };
  REQUIRE(run.db->Query("SELECT start_ns, duration_ns FROM queued_work ORDER BY start_ns", {}, read)
              .ok());
  return idle;
}

int64_t Overlap(const Span& idle, const TrueOp& op) {
  return std::max<int64_t>(0,
                           std::min(idle.end_ns, op.end_ns) - std::max(idle.start_ns, op.start_ns));
}

void HostWork(int64_t ms) {
  const timespec length{.tv_sec = 0, .tv_nsec = ms * 1'000'000};
  nanosleep(&length, nullptr);
}

// Two streams tied by events, with pauses of the host between steps.
Numbers CopyAndCompute(int steps) {
  void* device = DeviceMemory(1U << 20U);
  void* host = PinnedMemory(1U << 20U);
  cudaStream_t copies = MakeStream();
  cudaStream_t kernels = MakeStream();
  cudaEvent_t copied = MakeEvent();
  for (int step = 0; step < steps; ++step) {
    cudaMemcpyAsync(device, host, 1U << 20U, cudaMemcpyHostToDevice, copies);
    cudaEventRecord(copied, copies);
    cudaStreamWaitEvent(kernels, copied, 0);
    LaunchOn(kernels, "forward", 2 * kSimMs);
    LaunchOn(kernels, "backward", 3 * kSimMs);
    cudaStreamSynchronize(kernels);
    HostWork(4);
  }
  return {};
}

}  // namespace

TEST_CASE("ebpf: idle time that calls prove is idle time of the device, and nearly all of it",
          "[ebpf]") {
  const RecordedRun run = Record([] { return CopyAndCompute(30); });
  const std::vector<Span> idle = ProvenIdle(run);
  int64_t idle_ns = 0;
  int64_t overlap_ns = 0;
  for (const Span& span : idle) {
    idle_ns += span.end_ns - span.start_ns;
    for (const TrueOp& op : run.truth.ops)
      overlap_ns += Overlap(span, op);
  }
  int64_t busy_ns = 0;
  int64_t first_ns = INT64_MAX;
  int64_t last_ns = 0;
  for (const TrueOp& op : run.truth.ops) {
    busy_ns += op.end_ns - op.start_ns;  // copies and kernels follow each other here
    first_ns = std::min(first_ns, op.start_ns);
    last_ns = std::max(last_ns, op.end_ns);
  }

  CHECK(idle.size() == 29);
  CHECK(overlap_ns == 0);
  // What is missing is the time from launch to start and from the end to the return of the wait.
  CHECK(idle_ns <= last_ns - first_ns - busy_ns);
  CHECK(run.Int("SELECT count(*) FROM queued_work WHERE last_call_id IS NULL") == 0);
}

}  // namespace gpuwhy
