// SPDX-License-Identifier: Apache-2.0
// The program as people and scripts meet it.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "collectors/recorder.h"
#include "tests/catch.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_dir.h"
#include "tools/json.h"

namespace gpuwhy {
namespace {

// A database with a hundred launches, the last of them 1 s after the first.
std::string WriteTrace(const TempDir& dir) {
  std::string path = dir.File("trace.db");
  const auto db = TraceDb::OpenForWriting(path);
  REQUIRE(db.ok());
  const auto recorder = Recorder::Start(db.value(), {.kind = "self"});
  REQUIRE(recorder.ok());
  Recorder& to = *recorder.value();
  const int64_t thread = to.ThreadOf(to.ProcessOf(10), 10);
  for (int64_t i = 0; i < 100; ++i) {
    to.Add(ApiCallRow{.start_ns = 1'700'000'000'000'000'000 + i * 10'101'010,
                      .duration_ns = 5000,
                      .thread_id = thread,
                      .name_id = to.InternName("cudaLaunchKernel")});
  }
  REQUIRE(to.Finish().ok());
  return path;
}

// A small Kineto trace with one operator.
std::string WriteKineto(const TempDir& dir, const std::string& name) {
  std::string path = dir.File(name);
  std::ofstream(path)
      << R"({"schemaVersion": 1, "traceEvents": [)"
      << R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 5, "tid": 5, "ts": 1700000000000000, "dur": 7}]})";
  return path;
}

bool IsOneLine(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n') == 1 && text.back() == '\n';
}

TEST_CASE("cli: a wrong command line exits with 2", "[cli]") {
  CHECK(RunProgram({}).exit_code == 2);
  CHECK(RunProgram({"nonsense"}).exit_code == 2);
  CHECK(RunProgram({"stats", "--nonsense"}).exit_code == 2);
  CHECK(RunProgram({"query"}).exit_code == 2);
  CHECK(RunProgram({"explain", "--fail-on", "low"}).exit_code == 2);
}

TEST_CASE("cli: the help of every command has an example", "[cli]") {
  for (const char* command : {"explain", "stats", "query", "trace", "import", "mcp", "check"}) {
    const ProgramResult help = RunProgram({command, "--help"});
    INFO(command);
    CHECK(help.exit_code == 0);
    CHECK(help.out.find(std::string("Example: gpuwhy ") + command) != std::string::npos);
  }
}

TEST_CASE("cli: files that cannot be read exit with 3 and one sentence", "[cli]") {
  const TempDir dir;
  std::ofstream(dir.File("empty.db")).flush();
  std::ofstream(dir.File("text.db")) << "no trace\x1b[31m";

  const ProgramResult missing = RunProgram({"stats", dir.File("missing.db")});
  const ProgramResult empty = RunProgram({"stats", dir.File("empty.db")});
  const ProgramResult text = RunProgram({"stats", dir.File("text.db")});
  const ProgramResult folder = RunProgram({"stats", dir.File("")});
  const ProgramResult none = RunProgram({"stats"});

  CHECK(missing.exit_code == 3);
  CHECK(missing.err.find("no such file") != std::string::npos);
  CHECK(empty.exit_code == 3);
  CHECK(empty.err.find("is empty (0 bytes)") != std::string::npos);
  CHECK(text.exit_code == 3);
  CHECK(text.err.find("in no format that gpuwhy reads") != std::string::npos);
  CHECK(folder.err.find("not a regular file") != std::string::npos);
  CHECK(none.exit_code == 3);
  CHECK(none.err.find("/nonexistent/.local/share/gpuwhy/trace.db") != std::string::npos);
  for (const ProgramResult& result : {missing, empty, text, folder, none}) {
    CHECK(result.out.empty());
    CHECK(IsOneLine(result.err));
    CHECK(result.err.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("cli: piped output has aligned columns and no escape codes", "[cli]") {
  const TempDir dir;

  const ProgramResult stats = RunProgram({"stats", WriteTrace(dir)});

  CHECK(stats.exit_code == 0);
  CHECK(stats.err.empty());
  CHECK(stats.out.find('\x1b') == std::string::npos);
  CHECK(stats.out.find("operation         count") != std::string::npos);
  CHECK(stats.out.find("cudaLaunchKernel    100") != std::string::npos);
}

TEST_CASE("cli: --json is one JSON document", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteTrace(dir);

  const Json stats = Json::parse(RunProgram({"stats", trace, "--json"}).out, nullptr, false);
  const Json query =
      Json::parse(RunProgram({"query", "SELECT count(*) AS n FROM api_call", trace, "--json"}).out,
                  nullptr, false);

  REQUIRE(stats.is_object());
  CHECK(stats["api_call"][0]["event_count"] == 100);
  REQUIRE(query.is_object());
  CHECK(query["rows"][0]["n"] == 100);
}

TEST_CASE("cli: explain runs the tools one after the other", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteTrace(dir);

  const ProgramResult text = RunProgram({"explain", trace, "--per-process"});
  const ProgramResult json = RunProgram({"explain", trace, "--since", "-0.5s", "--json"});

  CHECK(text.exit_code == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find('\x1b') == std::string::npos);
  const Json all = Json::parse(json.out, nullptr, false);
  REQUIRE(all.is_object());
  CHECK(all.size() == 3);
  CHECK(all.contains("get_findings"));
}

TEST_CASE("cli: explain tells more on request", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteTrace(dir);

  const Json all = Json::parse(RunProgram({"explain", trace, "--chains", "--stacks", "--json"}).out,
                               nullptr, false);

  REQUIRE(all.is_object());
  CHECK(all.size() == 5);
  CHECK(all.contains("get_causal_chains"));
  CHECK(all.contains("get_call_stacks"));
}

TEST_CASE("cli: --fail-on exits with 1 when there is such a finding", "[cli]") {
  // The recorded example, whose device is starved.
  const std::string trace = GPUWHY_SOURCE_DIR "/examples/starved-loader/trace.db";

  CHECK(RunProgram({"explain", trace, "--fail-on", "high"}).exit_code == 1);
  CHECK(RunProgram({"explain", trace}).exit_code == 0);
}

TEST_CASE("cli: filters of the command line reach the tool", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteTrace(dir);

  const ProgramResult half = RunProgram({"stats", trace, "--since", "0.5s", "--json"});
  const ProgramResult wrong = RunProgram({"stats", trace, "--since", "yesterday"});

  CHECK(Json::parse(half.out)["api_call"][0]["event_count"] == 50);
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("cannot read the time yesterday") != std::string::npos);
}

TEST_CASE("cli: query refuses to write and leaves the file as it was", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteTrace(dir);
  const auto size = std::filesystem::file_size(trace);

  const ProgramResult result =
      RunProgram({"query", "WITH x AS (SELECT 1) DELETE\tFROM api_call", "--db", trace});

  CHECK(result.exit_code == 2);
  CHECK(IsOneLine(result.err));
  CHECK(std::filesystem::file_size(trace) == size);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.File("")), {}) == 1);
}

TEST_CASE("cli: the default database is $GPUWHY_DB, then below $XDG_DATA_HOME", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteTrace(dir);
  std::filesystem::create_directory(dir.File("gpuwhy"));
  std::filesystem::copy(trace, dir.File("gpuwhy/trace.db"));

  CHECK(RunProgram({"stats"}, {"GPUWHY_DB=" + trace}).exit_code == 0);
  CHECK(RunProgram({"stats"}, {"XDG_DATA_HOME=" + dir.File("")}).exit_code == 0);
}

TEST_CASE("cli: a trace of samples alone is explained as far as it goes", "[cli]") {
  const TempDir dir;
  std::ofstream(dir.File("stacks.txt")) << "python;run;take_gil 3\npython;run;train 1\n";

  const ProgramResult result = RunProgram({"explain", dir.File("stacks.txt")});

  CHECK(result.exit_code == 0);
  CHECK(result.out.find("idle time cannot be told") != std::string::npos);
  CHECK(result.out.find("gil_wait") != std::string::npos);
}

TEST_CASE("cli: a foreign file is explained in place and never changed", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteKineto(dir, "a.json");

  const ProgramResult stats = RunProgram({"stats", trace, "--json"});

  CHECK(Json::parse(stats.out)["range"][0]["operation"] == "aten::mm");
  CHECK(std::distance(std::filesystem::directory_iterator(dir.File("")), {}) == 1);
}

TEST_CASE("cli: import makes a database, appends to it, and skips what it has", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteKineto(dir, "a.json");
  const std::string database = dir.File("made/up/trace.db");
  const auto captures = [&] {
    const ProgramResult result =
        RunProgram({"query", "SELECT count(*) AS n FROM capture", "--db", database, "--json"});
    return Json::parse(result.out)["rows"][0]["n"].get<int>();
  };

  const ProgramResult first = RunProgram({"import", trace, "--db", database});
  CHECK(first.exit_code == 0);
  CHECK(first.err.empty());
  CHECK(captures() == 1);
  const ProgramResult second = RunProgram({"import", trace, "--db", database});
  CHECK(second.exit_code == 0);
  CHECK(second.out.find("is in the database already") != std::string::npos);
  CHECK(captures() == 1);
  CHECK(RunProgram({"import", trace, "--again", "--db", database}).exit_code == 0);
  CHECK(captures() == 2);
}

TEST_CASE("cli: of a folder everything that is in a known format is imported", "[cli]") {
  const TempDir dir;
  std::filesystem::create_directories(dir.File("job/node1/.hidden"));
  std::filesystem::create_directory(dir.File("empty"));
  WriteKineto(dir, "job/rank-0.json");
  std::ofstream(dir.File("job/node1/rank-1.json"))
      << R"({"schemaVersion": 1, "distributedInfo": {"rank": 1}, "traceEvents": [)"
      << R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 6, "tid": 6, "ts": 5, "dur": 7}]})";
  WriteKineto(dir, "job/node1/.hidden/rank-2.json");
  std::ofstream(dir.File("job/notes.txt")) << "lunch at noon";

  const ProgramResult result = RunProgram({"import", dir.File("job"), "--db", dir.File("x.db")});
  const ProgramResult none = RunProgram({"import", dir.File("empty"), "--db", dir.File("y.db")});

  CHECK(result.exit_code == 0);
  CHECK(result.out.find("Imported 2 files") != std::string::npos);
  CHECK(result.out.find("in no format that gpuwhy reads: 1 file: ") != std::string::npos);
  CHECK(result.out.find("notes.txt") != std::string::npos);
  CHECK(none.exit_code != 0);
  CHECK(IsOneLine(none.err));
  CHECK(!std::filesystem::exists(dir.File("y.db")));
}

TEST_CASE("cli: an import that fails leaves nothing behind", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteKineto(dir, "a.json");
  std::ofstream(dir.File("b.json")) << "not a trace";

  const ProgramResult result =
      RunProgram({"import", trace, dir.File("b.json"), "--db", dir.File("x.db")});

  CHECK(result.exit_code == 3);
  CHECK(IsOneLine(result.err));
  CHECK(std::distance(std::filesystem::directory_iterator(dir.File("")), {}) == 2);
}

TEST_CASE("cli: an answer that cannot be written is no success", "[cli]") {
  const TempDir dir;
  if (!std::filesystem::exists("/dev/full")) return;
  const std::string command = std::string(GPUWHY_PROGRAM) + " version >/dev/full 2>/dev/null";

  CHECK(std::system(command.c_str()) != 0);
}

TEST_CASE("cli: version names the program and the schema", "[cli]") {
  const ProgramResult version = RunProgram({"version"});

  CHECK(version.exit_code == 0);
  CHECK(version.out.find("gpuwhy 0.1.0 (trace schema 1") == 0);
}

}  // namespace
}  // namespace gpuwhy
