// SPDX-License-Identifier: Apache-2.0
// What recording costs is measured, and what is given up when it is too much is said.
#include "tests/catch.h"
#include "tests/collectors/ebpf/flags.h"
#include "tests/collectors/ebpf/recorded.h"
#include "tests/examples/sim_calls.h"

namespace gpuwhy {
namespace {

struct Counts {
  int64_t launches = 0;
  int64_t queries = 0;
};

void Hammer(cudaStream_t stream, cudaEvent_t event, Counts& counts) {
  LaunchOn(stream, "kernel", 1000);
  ++counts.launches;
  for (int i = 0; i < 20; ++i) {
    cudaStreamQuery(stream);
    cudaEventQuery(event);
    counts.queries += 2;
  }
  const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
  nanosleep(&pause, nullptr);
}

std::string CountOf(const std::string& names) {
  return "SELECT sum(event_count) FROM latencies WHERE name IN (" + names + ")";
}

}  // namespace

TEST_CASE("budget: queries that cost too much are given up, launches stay exact, the trace says it",
          "[ebpf]") {
  const TempDir flags;
  const Flag shed(flags, "shed");
  RecordingSetup setup;
  setup.options.overhead_budget_pct = 0.01;
  setup.meanwhile = [&](const LiveRecording& recording) {
    if (!recording.shed().empty() && !shed.IsUp()) shed.Raise();
  };
  const RecordedRun run = Record(
      [&] {
        Counts counts;
        cudaStream_t stream = MakeStream();
        cudaEvent_t event = MakeEvent();
        WaitUntil([&] {
          Hammer(stream, event, counts);
          return shed.IsUp();
        });
        const int64_t shed_ns = MonotonicNs();
        for (int i = 0; i < 50; ++i)
          Hammer(stream, event, counts);
        cudaStreamSynchronize(stream);
        return Numbers{counts.launches, counts.queries, shed_ns};
      },
      setup);
  const std::string queries = "'cudaStreamQuery', 'cudaEventQuery'";

  CHECK(run.Int(CountOf("'cudaLaunchKernel'")) == run.numbers.at(0));
  CHECK(run.Int(CountOf("'cuLaunchKernel'")) == run.numbers.at(0));
  CHECK(run.Int(CountOf("'cudaStreamSynchronize'")) == 1);
  CHECK(run.Int(CountOf(queries)) > 0);
  CHECK(run.Int(CountOf(queries)) < run.numbers.at(1));
  CHECK(run.Int("SELECT count(*) FROM api_calls WHERE name IN (" + queries + ") AND start_ns > " +
                std::to_string(run.numbers.at(2) + run.clock_offset_ns)) == 0);
  CHECK(run.Text("SELECT severity FROM loss WHERE name = 'shed_queries'") == "data_loss");
  CHECK(run.Int("SELECT first_ns FROM loss WHERE name = 'shed_queries'") <=
        run.numbers.at(2) + run.clock_offset_ns);
  CHECK(run.Int("SELECT is_selective FROM capture") == 1);
  CHECK(run.Int("SELECT count(*) FROM counter WHERE name = 'recorder.overhead_pct'") == 1);
}

TEST_CASE("budget: of short waits stacks are given up, then rows; roll-ups count them all",
          "[ebpf]") {
  constexpr int kWaits = 200;
  const TempDir flags;
  const Flag shed(flags, "shed");
  RecordingSetup setup;
  setup.options.overhead_budget_pct = 0.01;
  setup.meanwhile = [&](const LiveRecording& recording) {
    if (recording.shed().empty() || shed.IsUp()) return;
    if (recording.shed().back() == "shed_short_waits") shed.Raise();
  };
  const RecordedRun run = Record(
      [&] {
        const timespec pause{.tv_sec = 0, .tv_nsec = 20'000};
        WaitUntil([&] {
          nanosleep(&pause, nullptr);
          return shed.IsUp();
        });
        const int64_t shed_ns = MonotonicNs();
        for (int i = 0; i < kWaits; ++i)
          nanosleep(&pause, nullptr);
        return Numbers{shed_ns};
      },
      setup);
  const std::string later =
      " AND start_ns > " + std::to_string(run.numbers.at(0) + run.clock_offset_ns);

  CHECK(run.Int("SELECT count(*) FROM off_cpu WHERE reason = 'sleep' AND duration_ns < 1000000" +
                later) == 0);
  CHECK(run.Int("SELECT count(*) FROM off_cpu WHERE callsite_id IS NOT NULL" + later) == 0);
  CHECK(run.Int("SELECT count(*) FROM off_cpu WHERE callsite_id IS NOT NULL") > 0);
  CHECK(run.Int("SELECT sum(event_count) - sum(stored_count) FROM latencies WHERE name = 'sleep' "
                "AND source = 'off_cpu'") >=
        kWaits - run.Int("SELECT count(*) FROM off_cpu WHERE reason = 'sleep'" + later));
  CHECK(run.Int("SELECT count(*) FROM loss WHERE name IN ('shed_wait_stacks', "
                "'shed_short_waits') AND severity = 'data_loss'") == 2);
}

TEST_CASE("budget: without one nothing is given up, and the costs are facts of the capture",
          "[ebpf]") {
  const RecordedRun run = Record([] {
    Counts counts;
    cudaStream_t stream = MakeStream();
    cudaEvent_t event = MakeEvent();
    for (int i = 0; i < 100; ++i)
      Hammer(stream, event, counts);
    return Numbers{counts.queries};
  });

  CHECK(run.Int(CountOf("'cudaStreamQuery', 'cudaEventQuery'")) == run.numbers.at(0));
  CHECK(run.Int("SELECT count(*) FROM loss WHERE name LIKE 'shed%'") == 0);
  CHECK(run.Int("SELECT json_extract(facts, '$.probe_call_cost_ns') > 0 FROM capture") == 1);
  CHECK(run.Int("SELECT json_extract(facts, '$.probe_call_program_ns') > 0 FROM capture") == 1);
  CHECK(run.Int("SELECT json_extract(facts, '$.probe_switch_cost_ns') > 0 FROM capture") == 1);
  CHECK(run.Int("SELECT json_extract(facts, '$.overhead_core_pct') > 0 FROM capture") == 1);
  CHECK(run.Int("SELECT json_extract(facts, '$.recorder_cpu_pct') > 0 FROM capture") == 1);
}

TEST_CASE("budget: measuring leaves nothing of the recorder in the trace", "[ebpf]") {
  const RecordedRun run = Record([] { return Numbers{}; });
  const std::string own = std::to_string(getpid());

  CHECK(run.Int("SELECT count(*) FROM api_call") == 0);
  CHECK(run.Int("SELECT count(*) FROM off_cpu o JOIN thread t ON t.id = o.thread_id JOIN process p "
                "ON p.id = t.process_id WHERE p.pid = " +
                own) == 0);
  CHECK(run.Int("SELECT count(*) FROM latencies WHERE source = 'api_call' OR pid = " + own) == 0);
}

}  // namespace gpuwhy
