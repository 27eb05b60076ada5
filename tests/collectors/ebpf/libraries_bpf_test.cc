// SPDX-License-Identifier: Apache-2.0
// Libraries and processes that come while the recorder runs, wherever their files are.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/catch.h"
#include "tests/collectors/ebpf/odd_runtime.h"
#include "tests/collectors/ebpf/stored_calls.h"
#include "tests/examples/sim_calls.h"
#include "tests/support/mounts.h"

namespace gpuwhy {
namespace {

constexpr int kCalls = 300;

void* const kMarked = reinterpret_cast<void*>(0x77);

// Loads the library and makes calls that are told from those of loading by their stream.
Numbers LoadAndCall(const std::string& library) {
  const OddRuntime runtime = OddRuntime::Load(library);
  for (int i = 0; i < kCalls; ++i)
    runtime.stream_query(kMarked);
  return {};
}

int64_t MarkedCallsOf(const TraceDb& db, pid_t pid) {
  const auto count = db.QueryInt(
      "SELECT count(*) FROM api_call a JOIN thread t ON t.id = a.thread_id JOIN process p ON p.id "
      "= t.process_id JOIN name n ON n.id = a.name_id WHERE n.text = 'cudaStreamQuery' AND "
      "a.stream = 119 AND p.pid = " +
      std::to_string(pid));
  REQUIRE(count.ok());
  return count.value();
}

// What `body` does in a child, which the process waits for.
Numbers InChild(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return {child, status};
}

}  // namespace

TEST_CASE("ebpf: a library that is loaded later is probed, with and without multi-probes",
          "[ebpf]") {
  RecordingSetup setup;
  setup.options.probes.uses_uprobe_multi = GENERATE(true, false);
  const TempDir dir;
  const std::string library = CopyOddRuntime(dir.File("lib"));
  const RecordedRun run = Record([&] { return LoadAndCall(library); }, setup);

  CHECK(MarkedCallsOf(*run.db, run.pid) == kCalls);
  CHECK(run.Text("SELECT description FROM loss WHERE name = 'ebpf_library_probed_late'")
            .find(library + " was probed ") != std::string::npos);
}

TEST_CASE("ebpf: perf events in place of multi-probes give the same calls", "[ebpf]") {
  const auto body = [] {
    cudaStream_t stream = MakeStream();
    for (int i = 0; i < 10; ++i)
      LaunchOn(stream, "kernel", 1000);
    cudaStreamSynchronize(stream);
    return Numbers{};
  };
  RecordingSetup single;
  single.options.probes.uses_uprobe_multi = false;
  const auto names = [](const RecordedRun& run) {
    std::string text;
    for (const auto& [name, call] : ReadCalls(run))
      text += name + ":" + std::to_string(call.bytes) + ":" + std::to_string(call.code) + " ";
    return text;
  };

  CHECK(names(Record(body)) == names(Record(body, single)));
}

TEST_CASE("ebpf: without a process named, whoever calls a GPU library is followed", "[ebpf]") {
  RecordingSetup setup;
  setup.follows_all = true;
  const TempDir dir;
  const std::string library = CopyOddRuntime(dir.File("lib"));
  const RecordedRun run = Record([&] { return InChild([&] { LoadAndCall(library); }); }, setup);
  const auto child = static_cast<pid_t>(run.numbers.at(0));

  CHECK(run.numbers.at(1) == 0);
  CHECK(MarkedCallsOf(*run.db, child) == kCalls);
  CHECK(run.Int("SELECT count(*) FROM process WHERE pid = " + std::to_string(child)) == 1);
}

TEST_CASE("ebpf: calls of children, of their threads and after exec are theirs", "[ebpf]") {
  const TempDir dir;
  const std::string library = CopyOddRuntime(dir.File("lib"));
  const RecordedRun run =
      Record([&] { return InChild([&] { std::thread([&] { LoadAndCall(library); }).join(); }); });
  const auto child = static_cast<pid_t>(run.numbers.at(0));

  CHECK(run.numbers.at(1) == 0);
  CHECK(MarkedCallsOf(*run.db, child) == kCalls);
  CHECK(run.Int("SELECT count(*) FROM api_call a JOIN thread t ON t.id = a.thread_id WHERE t.tid "
                "= " +
                std::to_string(child)) == 0);
}

TEST_CASE("ebpf: a program that replaces itself is followed under its new name", "[ebpf]") {
  const std::string program = std::string(GPUWHY_SIMGPU_DIR) + "/training_loop";
  const RecordedRun run = Record([&] {
    return InChild([&] {
      execl(program.c_str(), program.c_str(), "--steps", "20", "--workers", "0", nullptr);
    });
  });
  const std::string child = std::to_string(run.numbers.at(0));

  CHECK(run.numbers.at(1) == 0);
  CHECK(run.Text("SELECT name FROM process WHERE pid = " + child) == "training_loop");
  CHECK(run.Int("SELECT count(*) FROM api_call a JOIN name n ON n.id = a.name_id WHERE n.text = "
                "'cudaLaunchKernel'") > 20);
  CHECK(run.Int("SELECT count(*) FROM host_event WHERE kind = 'exec'") == 1);
}

TEST_CASE("ebpf: a library in another mount namespace is probed", "[ebpf]") {
  const TempDir dir;
  std::filesystem::create_directories(dir.File("hidden"));
  const RecordedRun run = Record([&] {
    if (!HideUnderTmpfs(dir.File("hidden"))) return Numbers{1};
    LoadAndCall(CopyOddRuntime(dir.File("hidden/lib")));
    return Numbers{0};
  });

  REQUIRE(run.numbers.at(0) == 0);
  CHECK(MarkedCallsOf(*run.db, run.pid) == kCalls);
}

TEST_CASE("ebpf: a library inside of a chroot is probed", "[ebpf]") {
  const TempDir dir;
  CopyOddRuntime(dir.File("root/lib"));
  const RecordedRun run = Record([&] {
    if (chroot(dir.File("root").c_str()) != 0 || chdir("/") != 0) return Numbers{1};
    LoadAndCall("/lib/libcudart.so.12");
    return Numbers{0};
  });

  REQUIRE(run.numbers.at(0) == 0);
  CHECK(MarkedCallsOf(*run.db, run.pid) == kCalls);
}

TEST_CASE("ebpf: a library whose file was deleted while it was mapped is probed", "[ebpf]") {
  const TempDir dir;
  const std::string library = CopyOddRuntime(dir.File("lib"));
  // A child cannot map it before the recorder starts, but the loader tells of it at once: the file
  // is gone as soon as dlopen returns, mostly before the recorder looks.
  const RecordedRun run = Record([&] {
    std::thread remover([&] {
      const auto is_mapped = [&] {
        std::ifstream maps("/proc/self/maps");
        const std::string text((std::istreambuf_iterator<char>(maps)), {});
        return text.find(library) != std::string::npos;
      };
      while (!is_mapped()) {
      }
      unlink(library.c_str());
    });
    LoadAndCall(library);
    remover.join();
    return Numbers{access(library.c_str(), F_OK)};
  });

  CHECK(run.numbers.at(0) != 0);
  CHECK(MarkedCallsOf(*run.db, run.pid) == kCalls);
}

TEST_CASE("ebpf: two recorders of one process both see every call", "[ebpf]") {
  const TempDir dir;
  const std::string library = CopyOddRuntime(dir.File("lib"));
  auto db = TraceDb::OpenForWriting(dir.File("second.db"));
  REQUIRE(db.ok());
  std::unique_ptr<LiveRecording> second;
  RecordingSetup setup;
  setup.meanwhile = [&](LiveRecording& first) {
    if (second == nullptr && !first.Targets().empty()) {
      RecordingOptions options;
      options.pids = first.Targets();
      auto started = LiveRecording::Start(db.value(), options);
      REQUIRE(started.ok());
      second = std::move(started).value();
      std::ofstream(dir.File("go")) << "go";
    }
    if (second != nullptr) REQUIRE(second->Read(std::chrono::milliseconds(0)).ok());
  };
  setup.is_recorded = [&](const TraceDb& first) {
    return StoresStreamQuery(first) && StoresStreamQuery(db.value());
  };
  const RecordedRun run = Record(
      [&] {
        while (access(dir.File("go").c_str(), F_OK) != 0)
          poll(nullptr, 0, 1);
        return LoadAndCall(library);
      },
      setup);
  REQUIRE(second != nullptr);
  REQUIRE(second->Finish().ok());

  CHECK(MarkedCallsOf(*run.db, run.pid) == kCalls);
  CHECK(MarkedCallsOf(db.value(), run.pid) == kCalls);
}

}  // namespace gpuwhy
