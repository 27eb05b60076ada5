// SPDX-License-Identifier: Apache-2.0
// gpuwhy trace as people and scripts meet it: on a terminal, in a pipe, with every way to end it.
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "schema/trace_db.h"
#include "tests/catch.h"
#include "tests/support/child_process.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/terminal_program.h"
#include "tools/json.h"

namespace gpuwhy {
namespace {

const std::string kSimgpu = std::string("LD_LIBRARY_PATH=") + GPUWHY_SIMGPU_DIR;

std::vector<std::string> TrainFor(const std::string& seconds) {
  return {"--",           GPUWHY_SIMGPU_DIR "/training_loop",
          "--duration-s", seconds,
          "--workers",    "1",
          "--handover",   "pipe"};
}

std::vector<std::string> Trace(const std::string& database, std::vector<std::string> options,
                               const std::vector<std::string>& command) {
  std::vector<std::string> words = {"trace", "-o", database};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

int64_t CountIn(const std::string& database, const std::string& table) {
  const auto db = TraceDb::OpenReadOnly(database);
  if (!db.ok()) FAIL(db.error().message);
  const auto count = db.value().QueryInt("SELECT count(*) FROM " + table);
  REQUIRE(count.ok());
  return count.value();
}

// The file is complete: no log beside it.
void CheckIsWhole(const std::string& database) {
  CHECK(CountIn(database, "api_call") > 0);
  CHECK_FALSE(std::filesystem::exists(database + "-wal"));
}

bool IsSameLine(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_lflag == b.c_lflag;
}

std::vector<Json> JsonLines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(Json::parse(line, nullptr, false));
  return lines;
}

}  // namespace

TEST_CASE("trace: the table takes the terminal, follows its size and gives it back", "[trace]") {
  const TempDir dir;
  const std::string database = dir.File("trace.db");
  const ChildProcess loop({"/usr/bin/env", kSimgpu, GPUWHY_SIMGPU_DIR "/training_loop",
                           "--duration-s", "100", "--workers", "1", "--handover", "pipe"});
  // Nothing is started by it, so the whole terminal is the table's.
  TerminalProgram trace(Trace(database, {"--comm", "training_loop"}, {}), {});
  const termios before = trace.Attributes();

  REQUIRE(trace.WaitFor("cudaLaunchKernel"));
  CHECK(trace.output().find("\x1b[?1049h\x1b[?25l") != std::string::npos);
  CHECK(trace.output().find("\x1b[25;1H") == std::string::npos);
  REQUIRE(trace.WaitFor("WHO WAITS"));
  trace.Resize({.rows = 40, .columns = 100});
  REQUIRE(trace.WaitFor("\x1b[40;1H"));
  trace.Forget();
  trace.Type("\x03");

  CHECK(trace.Wait() == 0);
  CHECK(trace.output().find("\x1b[?25h\x1b[?1049l") < trace.output().find("Recorded"));
  CHECK(trace.output().find("gpuwhy explain") != std::string::npos);
  CHECK(IsSameLine(before, trace.Attributes()));
  CheckIsWhole(database);
}

TEST_CASE("trace: beside a program that prints, the table keeps to the lower half", "[trace]") {
  const TempDir dir;
  TerminalProgram trace(
      Trace(dir.File("trace.db"), {},
            {"--", "/bin/sh", "-c", "while :; do echo program says; sleep 0.2; done"}),
      {.rows = 30, .columns = 90}, {"NO_COLOR=1"});

  REQUIRE(trace.WaitFor("OFF THE CPU"));
  CHECK(trace.output().find("\x1b[1;15r") != std::string::npos);
  CHECK(trace.output().find("\x1b[15;1H") == std::string::npos);
  CHECK(trace.output().find("\x1b[16;1H") != std::string::npos);
  CHECK(trace.output().find("\x1b[7m") == std::string::npos);
  trace.Forget();
  REQUIRE(trace.WaitFor("program says"));
  trace.Type("\x03");

  CHECK(trace.Wait() == 0);
  CHECK(trace.output().find("\x1b[r") != std::string::npos);
}

TEST_CASE("trace: impatience does not harm the file", "[trace]") {
  const TempDir dir;
  const std::string database = dir.File("trace.db");
  TerminalProgram trace(Trace(database, {}, TrainFor("60")), {}, {kSimgpu});

  REQUIRE(trace.WaitFor("GPU CALL"));
  trace.Type("\x03\x03\x03\x03");

  CHECK(trace.Wait() == 0);
  CheckIsWhole(database);
}

TEST_CASE("trace: the program ends with the recording, by Ctrl-C or by a signal", "[trace]") {
  const TempDir dir;
  const std::string script =
      "trap 'exit 7' INT; trap 'exit 8' TERM; echo ready; while :; do sleep 0.1; done";
  TerminalProgram trace(Trace(dir.File("trace.db"), {"--quiet"}, {"--", "/bin/sh", "-c", script}),
                        {});
  REQUIRE(trace.WaitFor("ready"));
  const bool types = GENERATE(true, false);

  if (types) trace.Type("\x03");
  if (!types) kill(trace.pid(), SIGTERM);

  CHECK(trace.Wait() == 0);
  CHECK(trace.output().find(types ? "exited with 7" : "exited with 8") != std::string::npos);
}

TEST_CASE("trace: --duration ends by itself and lets the program go on", "[trace]") {
  const TempDir dir;
  const auto start = std::chrono::steady_clock::now();

  const ProgramResult result =
      RunProgram(Trace(dir.File("trace.db"), {"--duration", "500ms"}, {"--", "sleep", "30"}));

  CHECK(result.exit_code == 0);
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(500));
  const size_t told = result.out.find("still runs as process ");
  REQUIRE(told != std::string::npos);
  pid_t pid = 0;
  const char* digits = result.out.data() + told + 22;
  std::from_chars(digits, result.out.data() + result.out.size(), pid);
  REQUIRE(pid > 1);
  CHECK(kill(pid, SIGKILL) == 0);
}

TEST_CASE("trace: in a pipe there is a line a second, a summary, and no escape code", "[trace]") {
  const TempDir dir;
  const std::string database = dir.File("trace.db");

  const ProgramResult result = RunProgram(Trace(database, {}, TrainFor("3")), {kSimgpu});

  CHECK(result.exit_code == 0);
  CHECK(result.err.find("GPU calls/s") != std::string::npos);
  CHECK((result.err + result.out).find('\x1b') == std::string::npos);
  for (const char* part : {"Recorded", "events counted", "exited with 0", "gpuwhy explain"}) {
    INFO(part);
    CHECK(result.out.find(part) != std::string::npos);
  }
  CheckIsWhole(database);
}

TEST_CASE("trace: --json is one object a second and one at the end", "[trace]") {
  const TempDir dir;

  const ProgramResult result =
      RunProgram(Trace(dir.File("trace.db"), {"--json"}, TrainFor("3")), {kSimgpu});

  const std::vector<Json> lines = JsonLines(result.out);
  REQUIRE(lines.size() >= 2);
  bool has_launch = false;
  bool has_wait = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    REQUIRE(lines[i].is_object());
    CHECK(lines[i]["type"] == (i + 1 == lines.size() ? "end" : "second"));
    if (i + 1 == lines.size()) break;
    for (const Json& operation : lines[i]["operations"])
      has_launch |= operation["name"] == "cudaLaunchKernel" && operation["p50_ns"] > 0;
    for (const Json& wait : lines[i]["waits"])
      has_wait |= wait["waiter"]["name"] == "training_loop" && wait["sum_ns"] > 0;
  }
  CHECK(has_launch);
  CHECK(has_wait);
  CHECK(lines.back()["recording"]["stored_count"] > 0);
  CHECK(result.err.find("steps=") != std::string::npos);  // what the program printed
}

TEST_CASE("trace: a start that fails leaves no file, and the earlier one in place", "[trace]") {
  const TempDir dir;
  const std::string database = dir.File("trace.db");
  REQUIRE(TraceDb::OpenForWriting(database).ok());
  const auto time = std::filesystem::last_write_time(database);

  const ProgramResult missing = RunProgram(Trace(database, {}, {"--", "/no/such/program"}));
  const ProgramResult without = RunProgramWithout({"bpf", "sys_admin"}, Trace(database, {}, {}));
  const ProgramResult absent = RunProgram(Trace(dir.File("new.db"), {"--pid", "4194304"}, {}));

  CHECK(missing.err.find("cannot run /no/such/program: No such file") != std::string::npos);
  CHECK(without.err.find("not permitted; run as root") != std::string::npos);
  CHECK(absent.err.find("there is no process 4194304") != std::string::npos);
  for (const ProgramResult& result : {missing, without, absent}) {
    CHECK(result.exit_code == 3);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(std::distance(std::filesystem::directory_iterator(dir.File("")), {}) == 1);
  CHECK(std::filesystem::last_write_time(database) == time);
}

TEST_CASE("trace: through sudo, file and folder belong to the user who called", "[trace]") {
  const TempDir dir;

  const ProgramResult result =
      RunProgram(Trace(dir.File("made/trace.db"), {"--quiet"}, {"--", "true"}),
                 {"SUDO_UID=65534", "SUDO_GID=65533"});

  CHECK(result.exit_code == 0);
  for (const char* name : {"made", "made/trace.db"}) {
    struct stat state {};
    REQUIRE(stat(dir.File(name).c_str(), &state) == 0);
    CHECK(state.st_uid == 65534);
    CHECK(state.st_gid == 65533);
  }
}

TEST_CASE("trace: a reader that goes away ends the recording, not the file", "[trace]") {
  const TempDir dir;
  const std::string database = dir.File("trace.db");
  const std::string command = kSimgpu + " " GPUWHY_PROGRAM " trace --json -o " + database +
                              " -- " GPUWHY_SIMGPU_DIR
                              "/training_loop --duration-s 5 2>/dev/null | head -n 1 >/dev/null";

  REQUIRE(std::system(command.c_str()) == 0);

  // The pipeline ends with its last program, the recording a moment after.
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::filesystem::exists(database + "-wal") && std::chrono::steady_clock::now() < latest)
    poll(nullptr, 0, 10);
  CheckIsWhole(database);
}

}  // namespace gpuwhy
