// SPDX-License-Identifier: Apache-2.0
// gpuwhy import on a terminal: a progress bar, and nothing left behind by Ctrl-C.
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/support/temp_dir.h"
#include "tests/support/terminal_program.h"

namespace gpuwhy {
namespace {

// Takes longer to import than a person to press a key: a million events.
std::string WriteLargeKineto(const TempDir& dir) {
  std::string path = dir.File("large.json");
  std::ofstream file(path);
  file << R"({"schemaVersion": 1, "traceEvents": [)";
  for (int64_t i = 0; i < 1'000'000; ++i) {
    file << (i == 0 ? "\n" : ",\n")
         << R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 5, "tid": 5, "ts": )"
         << 1'700'000'000'000'000 + i * 10 << R"(, "dur": 7})";
  }
  file << "]}";
  return path;
}

}  // namespace

TEST_CASE("import: Ctrl-C clears the progress bar and leaves no file", "[cli]") {
  const TempDir dir;
  const std::string trace = WriteLargeKineto(dir);
  TerminalProgram import({"import", trace, "--db", dir.File("trace.db")}, {});

  REQUIRE(import.WaitFor("left\x1b[K"));
  CHECK(import.output().find("large.json [") != std::string::npos);
  import.Type("\x03");

  CHECK(import.Wait() == 3);
  const size_t bar = import.output().rfind("left");
  CHECK(import.output().find("\r\x1b[K", bar) != std::string::npos);
  CHECK(import.output().find("gpuwhy: ", bar) != std::string::npos);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.File("")), {}) == 1);
}

}  // namespace gpuwhy
