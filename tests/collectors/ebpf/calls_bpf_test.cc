// SPDX-License-Identifier: Apache-2.0
// Probed functions: each call of a program is a row with its arguments, its result and the time it
// took, as the simulated GPU wrote it down itself.
#include <map>

#include "tests/catch.h"
#include "tests/collectors/ebpf/recorded.h"
#include "tests/examples/sim_calls.h"

namespace gpuwhy {
namespace {

constexpr size_t kMiB = 1U << 20U;

// Allocates, copies, launches, waits, frees: by the runtime, which calls the driver.
Numbers UseEverything() {
  void* device = DeviceMemory(4 * kMiB);
  void* pinned = PinnedMemory(kMiB);
  cudaStream_t stream = MakeStream();
  cudaEvent_t event = MakeEvent();
  cudaMemcpyAsync(device, pinned, kMiB, cudaMemcpyHostToDevice, stream);
  cudaMemcpy(device, pinned, kMiB / 2, cudaMemcpyHostToDevice);
  cudaMemcpy2D(device, 512, pinned, 512, 256, 100, cudaMemcpyHostToDevice);
  cudaMemsetAsync(device, 0, 4096, stream);
  LaunchOn(stream, "fast", kSimMs);
  LaunchOn(stream, "slow", 5 * kSimMs);
  cudaEventRecord(event, stream);
  cudaStreamSynchronize(stream);
  cudaEventSynchronize(event);
  cudaDeviceSynchronize();
  cudaMemcpy(pinned, device, kMiB, cudaMemcpyDeviceToHost);
  cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(0x1234));  // no such stream
  cudaFreeHost(pinned);
  cudaFree(device);
  return {};
}

struct StoredCall {
  int64_t start_ns, duration_ns, tid, bytes, code, parent_id, stream;
  std::string kind;
};

std::multimap<std::string, StoredCall> StoredCalls(const RecordedRun& run) {
  std::multimap<std::string, StoredCall> calls;
  const auto read = [&](const Row& row) {
    calls.emplace(row.Text(0),
                  StoredCall{row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5), row.Int(6),
                             row.Int(7), std::string(row.Text(8))});
  };
  REQUIRE(run.db
              ->Query("SELECT n.text, a.start_ns, a.duration_ns, t.tid, coalesce(a.bytes, 0), "
                      "a.return_code, coalesce(a.parent_id, 0), coalesce(a.stream, -1), "
                      "coalesce(a.copy_kind, '') FROM api_call a JOIN name n ON n.id = a.name_id "
                      "JOIN thread t ON t.id = a.thread_id ORDER BY a.start_ns",
                      {}, read)
              .ok());
  return calls;
}

// The stored call that lies around this one of the log: the probes are outside of the function.
const StoredCall* Around(const std::multimap<std::string, StoredCall>& calls, const TrueCall& truth,
                         int64_t offset_ns) {
  const auto [begin, end] = calls.equal_range(truth.name);
  for (auto it = begin; it != end; ++it) {
    const StoredCall& call = it->second;
    if (call.tid == truth.tid && call.start_ns <= truth.entry_ns + offset_ns &&
        call.start_ns + call.duration_ns >= truth.exit_ns + offset_ns) {
      return &call;
    }
  }
  return nullptr;
}

}  // namespace

TEST_CASE("ebpf: every probed call is a row with size, result and a duration around the true one",
          "[ebpf]") {
  const RecordedRun run = Record(&UseEverything);
  const auto stored = StoredCalls(run);
  size_t checked = 0;
  for (const TrueCall& truth : run.truth.calls) {
    if (!stored.contains(truth.name)) continue;
    INFO(truth.name << " at " << truth.entry_ns);
    const StoredCall* call = Around(stored, truth, run.clock_offset_ns);
    REQUIRE(call != nullptr);
    CHECK(call->bytes == truth.bytes);
    CHECK(call->code == truth.code);
    ++checked;
  }
  CHECK(checked == stored.size());
  for (const char* name : {"cudaMalloc", "cuMemAlloc_v2", "cudaMemcpyAsync", "cudaMemcpy2D",
                           "cudaLaunchKernel", "cuLaunchKernel", "cudaStreamSynchronize",
                           "cudaEventRecord", "cudaDeviceSynchronize", "cudaFree"}) {
    INFO(name);
    CHECK(stored.contains(name));
  }
}

TEST_CASE("ebpf: a driver call names the runtime call that made it", "[ebpf]") {
  const RecordedRun run = Record(&UseEverything);
  const std::string parents =
      "SELECT count(*) FROM api_call c JOIN name n ON n.id = c.name_id JOIN api_call p ON p.id = "
      "c.parent_id JOIN name m ON m.id = p.name_id WHERE n.text = 'cuLaunchKernel' AND m.text = "
      "'cudaLaunchKernel' AND p.start_ns <= c.start_ns AND p.start_ns + p.duration_ns >= "
      "c.start_ns + c.duration_ns";

  CHECK(run.Int(parents) == 2);
}

TEST_CASE("ebpf: direction and stream of a copy are those that were passed", "[ebpf]") {
  const RecordedRun run = Record([] {
    void* device = DeviceMemory(kMiB);
    void* host = PinnedMemory(kMiB);
    cudaStream_t stream = MakeStream();
    cudaMemcpyAsync(device, host, 1000, cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(host, device, 2000, cudaMemcpyDeviceToHost, stream);
    LaunchOn(stream, "kernel", 1000);
    cudaStreamSynchronize(stream);
    return Numbers{reinterpret_cast<int64_t>(stream)};
  });
  const std::string of_call =
      " FROM api_call a JOIN name n ON n.id = a.name_id WHERE n.text = 'cudaMemcpyAsync' AND "
      "bytes ";

  CHECK(run.Text("SELECT copy_kind" + of_call + "= 1000") == "H2D");
  CHECK(run.Text("SELECT copy_kind" + of_call + "= 2000") == "D2H");
  CHECK(run.Int("SELECT min(stream)" + of_call + "> 0") == run.numbers.at(0));
  CHECK(run.Int("SELECT max(stream)" + of_call + "> 0") == run.numbers.at(0));
  CHECK(run.Int("SELECT stream FROM api_call a JOIN name n ON n.id = a.name_id WHERE n.text = "
                "'cudaLaunchKernel'") == run.numbers.at(0));
}

TEST_CASE("ebpf: roll-ups count every call, and rows as long as there is room", "[ebpf]") {
  constexpr int kCalls = 5000;
  const auto body = [] {
    cudaStream_t stream = MakeStream();
    for (int i = 0; i < kCalls; ++i)
      cudaStreamQuery(stream);
    return Numbers{};
  };
  RecordingSetup tight;
  tight.options.probes.rows_per_cpu_second = 100;
  const bool is_tight = GENERATE(false, true);
  const RecordedRun run = Record(body, is_tight ? tight : RecordingSetup{});
  const std::string counts =
      " FROM latency l JOIN name n ON n.id = l.name_id WHERE n.text = 'cudaStreamQuery'";
  const std::string rows =
      "SELECT count(*) FROM api_call a JOIN name n ON n.id = a.name_id WHERE n.text = "
      "'cudaStreamQuery'";

  CHECK(run.Int("SELECT sum(event_count)" + counts) == kCalls);
  CHECK(run.Int("SELECT sum(stored_count)" + counts) == run.Int(rows));
  CHECK((run.Int(rows) < kCalls) == is_tight);
}

TEST_CASE("ebpf: a ring that nobody reads loses rows, and each loss is counted", "[ebpf]") {
  constexpr int kCalls = 20'000;
  RecordingSetup setup;
  setup.options.probes.ring_bytes = 256 * 1024;
  setup.reads_while_running = false;
  const RecordedRun run = Record(
      [] {
        cudaStream_t stream = MakeStream();
        for (int i = 0; i < kCalls; ++i)
          cudaStreamQuery(stream);
        return Numbers{};
      },
      setup);
  const int64_t counted = run.Int("SELECT sum(event_count) FROM latency");
  const int64_t stored = run.Int("SELECT sum(stored_count) FROM latency");
  const int64_t rows = run.Int(
      "SELECT (SELECT count(*) FROM api_call) + (SELECT count(*) FROM off_cpu) + "
      "(SELECT count(*) FROM host_event)");

  CHECK(run.Int("SELECT sum(event_count) FROM latency l JOIN name n ON n.id = l.name_id WHERE "
                "n.text = 'cudaStreamQuery'") == kCalls);
  CHECK(stored == rows);
  CHECK(stored < counted);
  CHECK(run.Int("SELECT sum(event_count) FROM loss WHERE name = 'ebpf_ring_full'") > 0);
}

}  // namespace gpuwhy
