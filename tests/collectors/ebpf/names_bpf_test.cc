// SPDX-License-Identifier: Apache-2.0
// Rows name processes and threads as they were last called, also those that nobody asked to record.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/catch.h"
#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {
namespace {

constexpr timespec kTenMs{.tv_sec = 0, .tv_nsec = 10'000'000};

// A pipe whose reader is recorded and whose writer is not.
class WaitedFor {
 public:
  WaitedFor() { REQUIRE(pipe(ends_.data()) == 0); }
  ~WaitedFor() {
    close(ends_[0]);
    close(ends_[1]);
  }
  WaitedFor(const WaitedFor&) = delete;
  WaitedFor& operator=(const WaitedFor&) = delete;

  // Sleeps in read() before each of the writes.
  Numbers Read(int64_t count) const {
    int64_t got = 0;
    for (char byte = 0; got < count && read(ends_[0], &byte, 1) == 1;)
      ++got;
    return {got};
  }
  void Write() const {
    nanosleep(&kTenMs, nullptr);
    if (write(ends_[1], "x", 1) != 1) _exit(1);
  }
  int write_end() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

// Forks a process that runs `body` once the recording has a target, and returns what was recorded.
RecordedRun RecordWoken(const WaitedFor& pipe, int64_t writes, const std::function<void()>& body,
                        pid_t& writer) {
  RecordingSetup setup;
  setup.meanwhile = [&](LiveRecording& recording) {
    if (writer != 0 || recording.Targets().empty()) return;
    writer = fork();
    if (writer != 0) return;
    body();
    _exit(0);
  };
  RecordedRun run = Record([&] { return pipe.Read(writes); }, setup);
  waitpid(writer, nullptr, 0);
  return run;
}

std::string NamesOf(const RecordedRun& run, pid_t pid) {
  return run.Text(
      "SELECT p.name || ' ' || t.name FROM thread t JOIN process p ON p.id = t.process_id WHERE "
      "t.id IN (SELECT waker_thread_id FROM off_cpu) AND p.pid = " +
      std::to_string(pid));
}

}  // namespace

TEST_CASE("ebpf: a waker that gives itself another name has the new one in rows", "[ebpf]") {
  const WaitedFor pipe;
  pid_t writer = 0;
  const RecordedRun run = RecordWoken(
      pipe, 3,
      [&] {
        pipe.Write();
        prctl(PR_SET_NAME, "second name");
        pipe.Write();
        pipe.Write();
      },
      writer);

  REQUIRE(run.numbers == Numbers{3});
  CHECK(NamesOf(run, writer) == "second name second name");
}

TEST_CASE("ebpf: a waker that runs another program has its name, not its command line", "[ebpf]") {
  const WaitedFor pipe;
  pid_t writer = 0;
  const std::string script = "sleep 0.01; echo >&" + std::to_string(pipe.write_end());
  const RecordedRun run = RecordWoken(
      pipe, 2,
      [&] {
        pipe.Write();
        execlp("sh", "sh", "-c", script.c_str(), nullptr);
        _exit(127);
      },
      writer);

  REQUIRE(run.numbers == Numbers{2});
  CHECK(NamesOf(run, writer) == "sh sh");
  CHECK(run.Int("SELECT count(*) FROM process WHERE cmdline IS NOT NULL AND pid = " +
                std::to_string(writer)) == 0);
}

TEST_CASE("ebpf: a recorded thread has the name it gave itself last", "[ebpf]") {
  const RecordedRun run = Record([] {
    pid_t tid = 0;
    std::thread thread([&] {
      tid = gettid();
      nanosleep(&kTenMs, nullptr);
      prctl(PR_SET_NAME, "loader 1");
      nanosleep(&kTenMs, nullptr);
      prctl(PR_SET_NAME, "loader 2");
    });
    thread.join();
    return Numbers{tid};
  });
  const std::string tid = std::to_string(run.numbers.at(0));

  CHECK(run.Text("SELECT name FROM thread WHERE tid = " + tid) == "loader 2");
  CHECK(run.Text("SELECT name FROM process WHERE pid = " + std::to_string(run.pid)) != "loader 2");
}

}  // namespace gpuwhy
