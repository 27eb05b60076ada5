// SPDX-License-Identifier: Apache-2.0
// Whole programs: who kept whom waiting, and the recorder beside programs that end badly.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/collectors/ebpf/recorded.h"
#include "tests/support/detect.h"

namespace gpuwhy {
namespace {

const std::string kTrainingLoop = std::string(GPUWHY_SIMGPU_DIR) + "/training_loop";

int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

pid_t Start(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("SIMGPU_CONTEXT_NS", "0", 1);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  return pid;
}

int StatusOf(pid_t pid) {
  int status = -1;
  waitpid(pid, &status, 0);
  return status;
}

int64_t CountIn(const std::string& database, const std::string& sql) {
  const auto db = TraceDb::OpenReadOnly(database);
  REQUIRE(db.ok());
  const auto count = db.value().QueryInt(sql);
  REQUIRE(count.ok());
  return count.value();
}

// A recorder that has recorded something, which another process sees in its database.
pid_t StartRecorder(const std::string& database, const std::vector<std::string>& what) {
  std::vector<std::string> arguments = {GPUWHY_PROGRAM, "trace", "-o", database};
  arguments.insert(arguments.end(), what.begin(), what.end());
  const pid_t recorder = Start(arguments);
  WaitUntil([&] {
    poll(nullptr, 0, 10);
    const auto db = TraceDb::OpenReadOnly(database);
    if (!db.ok()) return false;
    const auto count = db.value().QueryInt("SELECT count(*) FROM api_call");
    return count.ok() && count.value() > 0;
  });
  return recorder;
}

[[noreturn]] void ReadForEver(const std::string& path) {
  prctl(PR_SET_NAME, "smaps-reader");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<char> text(1U << 20U);
  while (true) {
    const int fd = open(path.c_str(), O_RDONLY);
    if (fd < 0) _exit(0);
    while (read(fd, text.data(), text.size()) > 0) {
    }
    close(fd);
  }
}

size_t OpenFiles() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

int64_t ResidentKb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int64_t kb = 0;
    if (word == "VmRSS:" && status >> kb) return kb;
  }
  return 0;
}

}  // namespace

TEST_CASE("ebpf: who waits at a pipe for a loader names the loader as its waker", "[ebpf]") {
  // A batch takes ten times as long as a step of the GPU: every step waits, on a busy machine too.
  const RecordedRun run = Record([] {
    const pid_t loop = Start({kTrainingLoop, "--steps", "30", "--workers", "1", "--handover",
                              "pipe", "--batch-cpu-ms", "30", "--kernel-us", "100"});
    return Numbers{loop, StatusOf(loop)};
  });
  const std::string waits =
      " FROM off_cpu o JOIN thread t ON t.id = o.thread_id JOIN thread w ON w.id = "
      "o.waker_thread_id JOIN process p ON p.id = w.process_id JOIN process q ON q.id = "
      "p.parent_id WHERE o.reason = 'pipe' AND o.duration_ns > 2000000 AND q.pid = t.tid AND t.tid "
      "= " +
      std::to_string(run.numbers.at(0));

  REQUIRE(run.numbers.at(1) == 0);
  CHECK(run.Int("SELECT count(*)" + waits) >= 20);
  CHECK(run.Int("SELECT count(DISTINCT p.pid)" + waits) == 1);
  // The chain goes on: the wait ends before a launch of the same thread.
  CHECK(run.Int("SELECT count(*)" + waits +
                " AND EXISTS (SELECT 1 FROM api_call a JOIN name n ON n.id = a.name_id WHERE "
                "a.thread_id = o.thread_id AND n.text = 'cudaLaunchKernel' AND a.start_ns >= "
                "o.start_ns + o.duration_ns)") >= 20);
}

TEST_CASE("ebpf: a reader of smaps is found as what the training waits for", "[ebpf]") {
  pid_t reader = 0;
  RecordingSetup setup;
  setup.is_recorded = [&](const TraceDb& db) {
    const auto loop = db.QueryInt("SELECT max(pid) FROM process WHERE name = 'training_loop'");
    if (!loop.ok() || loop.value() == 0) return false;
    reader = fork();
    if (reader == 0) ReadForEver("/proc/" + std::to_string(loop.value()) + "/smaps");
    return true;
  };
  const RecordedRun run = Record(
      [] {
        const pid_t loop =
            Start({kTrainingLoop, "--duration-s", "3", "--workers", "0", "--batch-cpu-ms", "0",
                   "--fault-bytes", "4194304", "--sync-every", "1", "--resident-mappings", "8",
                   "--resident-bytes", "500000000"});
        return Numbers{loop, StatusOf(loop)};
      },
      setup);
  kill(reader, SIGKILL);
  StatusOf(reader);
  REQUIRE(run.numbers.at(1) == 0);
  const auto findings = FindingsOf(*run.db, "mmap-lock-interference");
  INFO(SilenceOf(*run.db, "mmap-lock-interference").reason);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].title.ends_with("held by smaps-reader"));
  CHECK(findings[0].severity >= Severity::kMedium);
  CHECK(findings[0].lost_ns > 0);
  CHECK(EvidenceHolds(*run.db, findings[0]));
}

TEST_CASE("ebpf: a stranger that takes the core is named as preemptor, by name", "[ebpf]") {
  const pid_t hog = fork();
  if (hog == 0) {
    prctl(PR_SET_NAME, "the-hog");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    PinTo(0);
    for (;;) {
    }
  }
  const RecordedRun run = Record([] {
    PinTo(0);
    for (const int64_t end_ns = ThreadCpuNs() + 300'000'000; ThreadCpuNs() < end_ns;) {
    }
    return Numbers{};
  });
  kill(hog, SIGKILL);
  StatusOf(hog);

  CHECK(run.Int("SELECT count(*) FROM off_cpu o JOIN thread w ON w.id = o.preemptor_thread_id JOIN "
                "process p ON p.id = w.process_id WHERE o.reason = 'preempted' AND p.name = "
                "'the-hog' AND w.tid = " +
                std::to_string(hog)) > 0);
}

TEST_CASE("ebpf: the recorder ends in order on SIGINT, SIGTERM and when its process is gone",
          "[ebpf]") {
  const TempDir dir;
  const std::string database = dir.File("trace.db");
  const int signal = GENERATE(SIGINT, SIGTERM, 0);
  const pid_t target = Start({kTrainingLoop, "--duration-s", "60", "--workers", "0"});
  const pid_t recorder = StartRecorder(database, {"--pid", std::to_string(target)});
  kill(signal != 0 ? recorder : target, signal != 0 ? signal : SIGSEGV);
  const int status = StatusOf(recorder);
  if (signal != 0) kill(target, SIGKILL);
  StatusOf(target);

  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK_FALSE(std::filesystem::exists(database + "-wal"));
  CHECK(CountIn(database, "SELECT count(*) FROM api_call") > 0);
  CHECK(CountIn(database, "SELECT count(*) FROM latency") > 0);
  CHECK(CountIn(database, "SELECT count(*) FROM process WHERE end_ns IS NOT NULL") ==
        (signal == 0 ? 1 : 0));
}

TEST_CASE("ebpf: a command that crashes is recorded to its end", "[ebpf]") {
  const TempDir dir;
  const pid_t recorder =
      Start({GPUWHY_PROGRAM, "trace", "-o", dir.File("trace.db"), "--", "/bin/sh", "-c",
             kTrainingLoop + " --duration-s 3 --workers 0 >/dev/null; kill -SEGV $$"});
  StatusOf(recorder);

  CHECK(CountIn(dir.File("trace.db"), "SELECT count(*) FROM api_call") > 0);
  CHECK(CountIn(dir.File("trace.db"), "SELECT count(*) FROM host_event WHERE kind = 'exit'") >= 2);
}

TEST_CASE("ebpf: starting and finishing many times leaves no files open and no memory", "[ebpf]") {
  const TempDir dir;
  const pid_t target = Start({kTrainingLoop, "--duration-s", "60", "--workers", "0"});
  const auto cycle = [&](int number) {
    auto db = TraceDb::OpenForWriting(dir.File(std::to_string(number) + ".db"));
    REQUIRE(db.ok());
    RecordingOptions options;
    options.pids = {target};
    auto recording = LiveRecording::Start(db.value(), options);
    REQUIRE(recording.ok());
    REQUIRE(recording.value()->Read(std::chrono::milliseconds(10)).ok());
    REQUIRE(recording.value()->Finish().ok());
  };
  for (int i = 0; i < 3; ++i)
    cycle(i);
  const size_t files = OpenFiles();
  const int64_t resident_kb = ResidentKb();
  for (int i = 3; i < 23; ++i)
    cycle(i);
  kill(target, SIGKILL);
  StatusOf(target);

  CHECK(OpenFiles() == files);
  INFO("from " << resident_kb << " kB to " << ResidentKb() << " kB");
  CHECK(ResidentKb() < resident_kb + 8192);
}

}  // namespace gpuwhy
