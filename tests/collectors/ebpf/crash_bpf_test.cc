// SPDX-License-Identifier: Apache-2.0
// The recorder is killed at any moment: what it had committed is there, the kernel is clean, and
// the program that was recorded does not notice.
#include <bpf/bpf.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "schema/trace_db.h"
#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"
#include "tests/support/run_program.h"

namespace gpuwhy {
namespace {

constexpr int kKills = 6;

void SleepMs(int64_t ms) {
  const timespec length{.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1'000'000};
  nanosleep(&length, nullptr);
}

// A number that this process and its children see.
class SharedCount {
 public:
  SharedCount()
      : count_(static_cast<volatile int64_t*>(mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  volatile int64_t& operator*() const { return *count_; }

 private:
  volatile int64_t* count_;
};

// Calls the GPU until it is killed.
class Workload {
 public:
  Workload() : pid_(fork()) {
    if (pid_ != 0) return;
    alarm(300);  // in case nobody does
    setenv("SIMGPU_CONTEXT_NS", "0", 1);
    setenv("SIMGPU_FIRST_LAUNCH_NS", "0", 1);
    cudaStream_t stream = MakeStream();
    while (true) {
      for (int i = 0; i < 20; ++i)
        LaunchOn(stream, "kernel", 1000);
      cudaStreamSynchronize(stream);
      *loops_ = *loops_ + 1;
    }
  }
  ~Workload() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  pid_t pid() const { return pid_; }
  bool GoesOn() const {
    const int64_t before = *loops_;
    WaitUntil([&] {
      SleepMs(1);
      return *loops_ > before + 1;
    });
    return true;
  }

 private:
  SharedCount loops_;
  pid_t pid_;
};

pid_t StartRecorder(pid_t target, const std::string& database) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  execl(GPUWHY_PROGRAM, GPUWHY_PROGRAM, "trace", "-p", std::to_string(target).c_str(), "-o",
        database.c_str(), nullptr);
  _exit(127);
}

struct BpfIds {
  std::vector<uint32_t> programs, maps, links;
};

// What the process has open in the kernel.
BpfIds BpfIdsOf(pid_t pid) {
  BpfIds ids;
  std::error_code failure;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo", failure)) {
    std::ifstream file(entry.path());
    std::string key;
    for (uint32_t id = 0; file >> key;) {
      if (key == "prog_id:" && file >> id) ids.programs.push_back(id);
      if (key == "map_id:" && file >> id) ids.maps.push_back(id);
      if (key == "link_id:" && file >> id) ids.links.push_back(id);
    }
  }
  return ids;
}

template <typename Open>
bool AreGone(const std::vector<uint32_t>& ids, const Open& open) {
  for (const uint32_t id : ids) {
    const int fd = open(id);
    if (fd >= 0) close(fd);
    if (fd >= 0) return false;
  }
  return true;
}

// The kernel frees them a moment after the last descriptor is closed.
void RequireGone(const BpfIds& ids) {
  WaitUntil([&] {
    SleepMs(1);
    return AreGone(ids.links, &bpf_link_get_fd_by_id) &&
           AreGone(ids.programs, &bpf_prog_get_fd_by_id) &&
           AreGone(ids.maps, &bpf_map_get_fd_by_id);
  });
}

// What a reader has seen; zeros while there is no trace yet.
struct Seen {
  int64_t end_ns = 0;
  int64_t call_count = 0;
};

Seen Look(const std::string& database) {
  Seen seen;
  const auto db = TraceDb::OpenReadOnly(database);
  if (!db.ok()) return seen;
  const auto read = [&seen](const Row& row) { seen = {row.Int(0), row.Int(1)}; };
  REQUIRE(db.value()
              .Query("SELECT max(end_ns), (SELECT count(*) FROM api_call) FROM capture", {}, read)
              .ok());
  return seen;
}

// Half of the time while it begins, half of the time while it writes.
void LetItRun(const std::string& database, bool until_it_writes, int64_t ms) {
  if (until_it_writes) {
    WaitUntil([&] {
      SleepMs(20);
      return Look(database).call_count != 0;
    });
  }
  SleepMs(ms);
}

}  // namespace

TEST_CASE("crash: a recorder that is killed leaves a trace that opens, and nothing in the kernel",
          "[ebpf]") {
  const Workload workload;
  std::minstd_rand random(42);
  size_t most_programs = 0;
  int64_t call_count = 0;
  for (int i = 0; i < kKills; ++i) {
    INFO("kill " << i);
    const TempDir dir;
    const std::string database = dir.File("trace.db");
    const pid_t recorder = StartRecorder(workload.pid(), database);
    LetItRun(database, i % 2 == 1, static_cast<int64_t>(random() % 1500));
    const Seen before = Look(database);
    kill(recorder, SIGSTOP);  // so that what is listed is what dies
    const BpfIds ids = BpfIdsOf(recorder);
    most_programs = std::max(most_programs, ids.programs.size());
    kill(recorder, SIGKILL);
    REQUIRE(waitpid(recorder, nullptr, 0) == recorder);

    RequireGone(ids);
    CHECK(workload.GoesOn());
    if (before.end_ns == 0) continue;  // it had not begun
    const Seen after = Look(database);
    CHECK(after.end_ns >= before.end_ns);
    CHECK(after.call_count >= before.call_count);
    CHECK(RunProgram({"query", "SELECT count(*) FROM capture", database}).exit_code == 0);
    call_count += after.call_count;
  }
  CHECK(most_programs > 5);
  CHECK(call_count > 0);
}

}  // namespace gpuwhy
