// SPDX-License-Identifier: Apache-2.0
// gpuwhy trace --cgroup: what is in the group, and what moves into it later.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "collectors/process/cgroup_directory.h"
#include "schema/trace_db.h"
#include "tests/catch.h"
#include "tests/support/temp_dir.h"
#include "tests/support/terminal_program.h"

namespace gpuwhy {
namespace {

// A control group of our own, in whichever hierarchy lets us make one.
class OwnCgroup {
 public:
  OwnCgroup() {
    for (const char* place : {"/sys/fs/cgroup", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified"}) {
      const auto wanted =
          std::filesystem::path(place) / ("gpuwhy-test-" + std::to_string(getpid()));
      if (!std::filesystem::exists(std::filesystem::path(place) / "cgroup.procs")) continue;
      if (mkdir(wanted.c_str(), 0755) != 0) continue;
      path_ = wanted.string();
      return;
    }
  }
  ~OwnCgroup() {
    if (!path_.empty()) rmdir(path_.c_str());
  }
  OwnCgroup(const OwnCgroup&) = delete;
  OwnCgroup& operator=(const OwnCgroup&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("trace: --cgroup follows what moves into the group while recording", "[trace]") {
  const OwnCgroup group;
  if (group.path().empty()) {
    WARN("skipped: no control group can be made here");
    return;
  }
  const TempDir dir;
  const std::string database = dir.File("trace.db");
  const std::string name = std::filesystem::path(group.path()).filename().string();
  TerminalProgram trace(
      {"trace", "-o", database, "--cgroup", GENERATE(true, false) ? group.path() : name}, {});
  REQUIRE(trace.WaitFor("waiting for processes"));

  const std::string command = "/bin/sh -c 'echo $$ >" + group.path() +
                              "/cgroup.procs; exec env LD_LIBRARY_PATH=" GPUWHY_SIMGPU_DIR
                              " " GPUWHY_SIMGPU_DIR "/training_loop --duration-s 2' >/dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  trace.Type("\x03");

  CHECK(trace.Wait() == 0);
  const auto db = TraceDb::OpenReadOnly(database);
  REQUIRE(db.ok());
  const auto calls = db.value().QueryInt(
      "SELECT count(*) FROM api_call a JOIN thread t ON t.id = a.thread_id JOIN process p ON p.id "
      "= t.process_id WHERE p.name = 'training_loop'");
  REQUIRE(calls.ok());
  CHECK(calls.value() > 0);
}

}  // namespace gpuwhy
