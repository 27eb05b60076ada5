// SPDX-License-Identifier: Apache-2.0
// Off-CPU time against the kernel's own books, and who woke whom.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "tests/catch.h"
#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {
namespace {

int64_t CpuNs() {
  std::ifstream file("/proc/thread-self/schedstat");
  int64_t cpu_ns = 0;
  file >> cpu_ns;
  return cpu_ns;
}

int64_t Switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

void SleepMs(int64_t ms) {
  const timespec length{.tv_sec = 0, .tv_nsec = ms * 1'000'000};
  nanosleep(&length, nullptr);
}

void BurnMs(int64_t ms) {
  for (const int64_t end_ns = CpuNs() + ms * 1'000'000; CpuNs() < end_ns;) {
  }
}

struct Books {
  int64_t time_ns;
  int64_t cpu_ns;
  int64_t switch_count;
};

// Read without a switch in between, or they would not belong together.
Books ReadBooks() {
  while (true) {
    const int64_t switch_count = Switches();
    const int64_t time_ns = MonotonicNs();
    const int64_t cpu_ns = CpuNs();
    if (Switches() == switch_count) return {time_ns, cpu_ns, switch_count};
  }
}

// Sleeps and computes in turn; returns what the kernel booked for the thread meanwhile.
Numbers SleepAndBurn() {
  SleepMs(1);
  const Books before = ReadBooks();
  for (int i = 0; i < 20; ++i) {
    SleepMs(10);
    BurnMs(5);
  }
  const Books after = ReadBooks();
  return {before.time_ns, after.time_ns, after.cpu_ns - before.cpu_ns,
          after.switch_count - before.switch_count};
}

}  // namespace

TEST_CASE("ebpf: off-CPU time and switches of a thread are those of the kernel's books", "[ebpf]") {
  RecordingSetup setup;
  setup.options.probes.off_cpu_row_min_ns = 0;
  const RecordedRun run = Record(&SleepAndBurn, setup);
  const auto [start_ns, end_ns, cpu_ns, switches] =
      std::tuple(run.numbers.at(0), run.numbers.at(1), run.numbers.at(2), run.numbers.at(3));
  const std::string rows = " FROM off_cpu WHERE start_ns BETWEEN " +
                           std::to_string(start_ns + run.clock_offset_ns) + " AND " +
                           std::to_string(end_ns + run.clock_offset_ns);
  const auto off_ns = static_cast<double>(end_ns - start_ns - cpu_ns);

  const int64_t unseen = run.Int(
      "SELECT coalesce(sum(event_count), 0) FROM loss WHERE name = 'ebpf_switch_in_unseen'");

  // What was not seen may have been outside of the time that the books are of.
  CHECK(unseen <= 2);
  CHECK(run.Int("SELECT count(*)" + rows) <= switches);
  CHECK(run.Int("SELECT count(*)" + rows) + unseen >= switches);
  if (unseen == 0) {
    CHECK(static_cast<double>(run.Int("SELECT sum(duration_ns)" + rows)) ==
          Approx(off_ns).epsilon(0.01));
  }
  CHECK(run.Int("SELECT count(*)" + rows + " AND reason = 'sleep' AND duration_ns >= 10000000") +
            unseen >=
        20);
}

TEST_CASE("ebpf: a thread that waits for another names it as its waker", "[ebpf]") {
  const RecordedRun run = Record([] {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_ready = false;
    pid_t worker_tid = 0;
    std::thread worker([&] {
      worker_tid = gettid();
      BurnMs(30);
      const std::lock_guard lock(mutex);
      is_ready = true;
      changed.notify_one();
    });
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return is_ready; });
    }
    worker.join();
    return Numbers{gettid(), worker_tid};
  });
  const std::string longest =
      " FROM off_cpu o JOIN thread t ON t.id = o.thread_id LEFT JOIN thread w ON w.id = "
      "o.waker_thread_id WHERE t.tid = " +
      std::to_string(run.numbers.at(0)) + " ORDER BY o.duration_ns DESC LIMIT 1";

  CHECK(run.Text("SELECT o.reason" + longest) == "lock");
  CHECK(run.Int("SELECT w.tid" + longest) == run.numbers.at(1));
  CHECK(run.Int("SELECT count(*) FROM off_cpu o JOIN callsite c ON c.id = o.callsite_id JOIN "
                "frame f ON f.id = c.frame_id WHERE f.kind = 'kernel'") > 0);
}

TEST_CASE("ebpf: who sleeps until a time is woken by an interrupt, not by a process", "[ebpf]") {
  const RecordedRun run = Record(&SleepAndBurn);

  CHECK(run.Int("SELECT count(*) FROM off_cpu WHERE reason = 'sleep' AND waker_thread_id IS NOT "
                "NULL") == 0);
}

TEST_CASE("ebpf: children, their children and threads are followed from their first moment",
          "[ebpf]") {
  const RecordedRun run = Record([] {
    const pid_t child = fork();
    if (child == 0) {
      std::thread([] { SleepMs(5); }).join();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    return Numbers{child};
  });
  const std::string child = std::to_string(run.numbers.at(0));

  CHECK(run.Int("SELECT parent.pid FROM process p JOIN process parent ON parent.id = p.parent_id "
                "WHERE p.pid = " +
                child) == run.pid);
  CHECK(
      run.Int("SELECT count(*) FROM thread t JOIN process p ON p.id = t.process_id WHERE p.pid = " +
              child) == 2);
  CHECK(run.Int("SELECT count(*) FROM off_cpu o JOIN thread t ON t.id = o.thread_id JOIN process p "
                "ON p.id = t.process_id WHERE o.reason = 'sleep' AND p.pid = " +
                child) == 1);
  CHECK(run.Int("SELECT end_ns > start_ns FROM process WHERE pid = " + child) == 1);
  CHECK(run.Int("SELECT count(*) FROM off_cpu WHERE reason = 'child'") >= 1);
}

}  // namespace gpuwhy
