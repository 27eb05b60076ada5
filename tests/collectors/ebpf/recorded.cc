// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/ebpf/recorded.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/catch.h"

namespace gpuwhy {
namespace {

constexpr auto kWait = std::chrono::milliseconds(20);

// A child that waits for a byte before it runs the body.
class Gate {
 public:
  Gate() { REQUIRE(pipe(fds_) == 0); }
  ~Gate() {
    close(fds_[0]);
    close(fds_[1]);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void Wait() const {
    char byte = 0;
    static_cast<void>(read(fds_[0], &byte, 1));
  }
  void Open() const { REQUIRE(write(fds_[1], "g", 1) == 1); }
  bool IsOpen() const {  // of any process
    pollfd state{.fd = fds_[0], .events = POLLIN, .revents = 0};
    return poll(&state, 1, 0) == 1;
  }

 private:
  int fds_[2] = {-1, -1};
};

const Gate* recorded_gate = nullptr;  // of the run in progress

bool HasEnded(pid_t pid, bool waits) {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | (waits ? 0 : WNOHANG));
  return info.si_pid == pid;
}

}  // namespace

bool StoresStreamQuery(const TraceDb& db) {
  const auto found = db.QueryInt(
      "SELECT EXISTS (SELECT 1 FROM api_call JOIN name n ON n.id = name_id WHERE n.text = "
      "'cudaStreamQuery')");
  return found.ok() && found.value() == 1;
}

int64_t RecordedRun::Int(const std::string& sql) const {
  const auto value = db->QueryInt(sql);
  REQUIRE(value.ok());
  return value.value();
}

std::string RecordedRun::Text(const std::string& sql) const {
  std::string text;
  REQUIRE(db->Query(sql, {}, [&](const Row& row) { text = row.Text(0); }).ok());
  return text;
}

RecordedRun Record(const std::function<Numbers()>& body, RecordingSetup setup) {
  const Gate gate;
  const Gate recorded;
  recorded_gate = &recorded;
  if (!setup.is_recorded) setup.is_recorded = &StoresStreamQuery;
  SimProcess process(
      [&] {
        gate.Wait();
        return body();
      },
      setup.environment);
  RecordedRun run{.dir = std::make_unique<TempDir>(), .pid = process.pid()};
  auto db = TraceDb::OpenForWriting(run.dir->File("trace.db"));
  REQUIRE(db.ok());
  if (!setup.follows_all) setup.options.pids = {process.pid()};
  auto recording = LiveRecording::Start(db.value(), setup.options);
  if (!recording.ok()) FAIL(recording.error().message);
  gate.Open();
  auto next_second = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!HasEnded(process.pid(), !setup.reads_while_running)) {
    if (setup.meanwhile) setup.meanwhile(*recording.value());
    REQUIRE(recording.value()->Read(kWait).ok());
    if (!recorded.IsOpen() && setup.is_recorded(db.value())) recorded.Open();
    if (std::chrono::steady_clock::now() < next_second) continue;
    next_second += std::chrono::seconds(1);
    REQUIRE(recording.value()->EndSecond().ok());
  }
  SimProcess::Outcome outcome = process.Wait();
  REQUIRE(recording.value()->Finish().ok());
  run.numbers = std::move(outcome.numbers);
  run.truth = std::move(outcome.truth);
  run.db = std::make_unique<TraceDb>(std::move(db).value());
  run.clock_offset_ns = run.Int("SELECT clock_offset_ns FROM capture");
  return run;
}

void CallUntilRecorded(const std::function<void()>& call) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!recorded_gate->IsOpen()) {
    if (std::chrono::steady_clock::now() > deadline) _exit(4);
    call();
    poll(nullptr, 0, 1);
  }
}

std::optional<std::string> WhyNotRecordable() {
  auto probes = KernelProbes::Start({});
  if (probes.ok()) return std::nullopt;
  return probes.error().message;
}

}  // namespace gpuwhy
