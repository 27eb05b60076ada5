// SPDX-License-Identifier: Apache-2.0
// Calls that end otherwise than by returning, calls inside of calls, names that are hostile.
#include <setjmp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/catch.h"
#include "tests/collectors/ebpf/odd_runtime.h"
#include "tests/collectors/ebpf/recorded.h"
#include "tests/support/run_program.h"

namespace gpuwhy {
namespace {

const std::string kCountOf =
    "SELECT count(*) FROM api_call a JOIN name n ON n.id = a.name_id "
    "WHERE n.text = ";

int64_t LossOf(const RecordedRun& run, const std::string& name) {
  return run.Int("SELECT coalesce(sum(event_count), 0) FROM loss WHERE name = '" + name + "'");
}

struct Nesting {
  const OddRuntime* runtime;
  int left;
};

void CallAgain(void* argument) {
  auto& nesting = *static_cast<Nesting*>(argument);
  if (--nesting.left > 0) nesting.runtime->launch_host_func(nullptr, &CallAgain, argument);
}

RecordedRun RecordOdd(const std::function<Numbers(const OddRuntime&)>& body) {
  const TempDir dir;
  const std::string library = CopyOddRuntime(dir.File("lib"));
  return Record([&] { return body(OddRuntime::Load(library)); });
}

}  // namespace

TEST_CASE("ebpf: a thread that ends inside of a call is counted as a return that is missing",
          "[ebpf]") {
  const RecordedRun run = RecordOdd([](const OddRuntime& runtime) {
    std::thread([&] {
      runtime.launch_host_func(
          nullptr, [](void*) { syscall(SYS_exit, 0); }, nullptr);
    }).join();
    runtime.launch_host_func(
        nullptr, [](void*) {}, nullptr);
    return Numbers{};
  });

  CHECK(LossOf(run, "ebpf_return_missing") == 1);
  CHECK(run.Int(kCountOf + "'cudaLaunchHostFunc'") == 1);
}

TEST_CASE("ebpf: a process that is killed inside of a call is counted so", "[ebpf]") {
  const RecordedRun run = RecordOdd([](const OddRuntime& runtime) {
    const pid_t child = fork();
    if (child == 0) {
      runtime.launch_host_func(
          nullptr, [](void*) { kill(getpid(), SIGKILL); }, nullptr);
    }
    waitpid(child, nullptr, 0);
    return Numbers{child};
  });

  CHECK(LossOf(run, "ebpf_return_missing") == 1);
  CHECK(run.Int(kCountOf + "'cudaLaunchHostFunc'") == 0);
  CHECK(run.Int("SELECT count(*) FROM process WHERE end_ns IS NOT NULL AND pid = " +
                std::to_string(run.numbers.at(0))) == 1);
}

TEST_CASE("ebpf: a jump out of a call is counted, and later calls are whole", "[ebpf]") {
  const RecordedRun run = RecordOdd([](const OddRuntime& runtime) {
    static jmp_buf target;
    if (setjmp(target) == 0) {
      runtime.launch_host_func(
          nullptr, [](void*) { longjmp(target, 1); }, nullptr);
    }
    Nesting nesting{&runtime, 2};
    runtime.launch_host_func(nullptr, &CallAgain, &nesting);
    return Numbers{};
  });

  CHECK(run.Int(kCountOf + "'cudaLaunchHostFunc' AND a.parent_id IS NOT NULL") == 1);
  CHECK(run.Int(kCountOf + "'cudaLaunchHostFunc'") == 2);
}

TEST_CASE("ebpf: of calls inside of calls eight are rows with parents, the others are counted",
          "[ebpf]") {
  constexpr int kDepth = 12;
  const RecordedRun run = RecordOdd([](const OddRuntime& runtime) {
    Nesting nesting{&runtime, kDepth};
    runtime.launch_host_func(nullptr, &CallAgain, &nesting);
    return Numbers{};
  });

  CHECK(run.Int(kCountOf + "'cudaLaunchHostFunc'") == GPUWHY_CALL_DEPTH);
  CHECK(run.Int(kCountOf + "'cudaLaunchHostFunc' AND a.parent_id IS NULL") == 1);
  CHECK(LossOf(run, "ebpf_call_too_deep") == kDepth - GPUWHY_CALL_DEPTH);
  CHECK(run.Int("SELECT count(*) FROM api_call c JOIN api_call p ON p.id = c.parent_id WHERE "
                "c.start_ns < p.start_ns OR c.start_ns + c.duration_ns > p.start_ns + "
                "p.duration_ns") == 0);
}

TEST_CASE("ebpf: control characters in the names of processes and files reach no terminal",
          "[ebpf]") {
  const TempDir dir;
  const std::string library = CopyOddRuntime(dir.File("with space\nand\033[31mred"));
  const RecordedRun run = Record([&] {
    prctl(PR_SET_NAME, "evil\n\033[2J\"';--");
    const pid_t child = fork();  // under that name
    if (child == 0) {
      OddRuntime::Load(library).stream_query(nullptr);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    return Numbers{};
  });
  const auto answer =
      RunProgram({"query", "--db", run.dir->File("trace.db"), "SELECT name FROM process"});

  CHECK(run.Int(kCountOf + "'cudaStreamQuery'") > 0);
  // The one that gave itself the name, and its child, which has it from the start.
  CHECK(run.Int("SELECT count(*) FROM process WHERE name LIKE 'evil%'") == 2);
  REQUIRE(answer.exit_code == 0);
  CHECK(answer.out.find("evil") != std::string::npos);
  CHECK(answer.out.find('\033') == std::string::npos);
}

}  // namespace gpuwhy
