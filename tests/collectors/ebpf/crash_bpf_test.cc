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

constexpr int kKills = 20;

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
    cudaStream_t stream = MakeStream();
    while (true) {
      for (int i = 0; i < 200; ++i)
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
    WaitUntil([&] { return *loops_ > before + 1; });
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
  WaitUntil([&] { return AreGone(ids.links, &bpf_link_get_fd_by_id); });
  WaitUntil([&] { return AreGone(ids.programs, &bpf_prog_get_fd_by_id); });
  WaitUntil([&] { return AreGone(ids.maps, &bpf_map_get_fd_by_id); });
}

// The last instant that a reader has seen, 0 while there is no trace yet.
int64_t SeenEndNs(const std::string& database) {
  const auto db = TraceDb::OpenReadOnly(database);
  if (!db.ok()) return 0;
  const auto end_ns = db.value().QueryInt("SELECT max(end_ns) FROM capture");
  return end_ns.ok() ? end_ns.value() : 0;
}

}  // namespace

TEST_CASE("crash: a recorder that is killed leaves a trace that opens, and nothing in the kernel",
          "[ebpf]") {
  const Workload workload;
  std::minstd_rand random(42);
  size_t most_programs = 0;
  int traces_with_rows = 0;
  for (int i = 0; i < kKills; ++i) {
    const TempDir dir;
    const std::string database = dir.File("trace.db");
    const pid_t recorder = StartRecorder(workload.pid(), database);
    SleepMs(static_cast<int64_t>(random() % 3000));
    const int64_t seen_ns = SeenEndNs(database);
    kill(recorder, SIGSTOP);  // so that what is listed is what dies
    const BpfIds ids = BpfIdsOf(recorder);
    most_programs = std::max(most_programs, ids.programs.size());
    kill(recorder, SIGKILL);
    REQUIRE(waitpid(recorder, nullptr, 0) == recorder);
    INFO("kill " << i);

    RequireGone(ids);
    CHECK(workload.GoesOn());
    if (seen_ns == 0) continue;  // it had not begun
    ++traces_with_rows;
    CHECK(SeenEndNs(database) >= seen_ns);
    const auto db = TraceDb::OpenReadOnly(database);
    REQUIRE(db.ok());
    const auto check = db.value().QueryInt("SELECT count(*) FROM api_call");
    REQUIRE(check.ok());
    CHECK(check.value() > 0);
    CHECK(RunProgram({"explain", database}).exit_code == 0);
  }
  CHECK(most_programs > 5);
  CHECK(traces_with_rows > 0);
}

}  // namespace gpuwhy
