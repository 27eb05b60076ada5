// SPDX-License-Identifier: Apache-2.0
// The file that a recording writes: what was there before comes back when it fails.
#include "server/commands/trace_file.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/catch.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

// A trace with a mark to know it by.
void WriteMarked(const std::string& path, const std::string& mark) {
  const auto db = TraceDb::OpenForWriting(path);
  REQUIRE(db.ok());
  REQUIRE(db.value().Execute("INSERT INTO name (id, text) VALUES (1, '" + mark + "')").ok());
}

std::string MarkOf(const std::string& path) {
  std::string mark;
  const auto db = TraceDb::OpenReadOnly(path);
  REQUIRE(db.ok());
  REQUIRE(db.value()
              .Query("SELECT text FROM name", {}, [&](const Row& row) { mark = row.Text(0); })
              .ok());
  return mark;
}

std::set<std::string> FilesIn(const TempDir& dir) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.File("")))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("trace file: one that is not kept is gone, and the earlier ones are back", "[trace]") {
  const TempDir dir;
  const std::string path = dir.File("trace.db");
  WriteMarked(path, "first");
  WriteMarked(path + ".old", "zeroth");

  {
    const auto file = TraceFile::Open(path);
    REQUIRE(file.ok());
    CHECK(MarkOf(path + ".old") == "first");
  }

  CHECK(FilesIn(dir) == std::set<std::string>{"trace.db", "trace.db.old"});
  CHECK(MarkOf(path) == "first");
  CHECK(MarkOf(path + ".old") == "zeroth");
}

TEST_CASE("trace file: one that is kept has the earlier one beside it", "[trace]") {
  const TempDir dir;
  const std::string path = dir.File("trace.db");
  WriteMarked(path, "first");
  WriteMarked(path + ".old", "zeroth");

  {
    const auto file = TraceFile::Open(path);
    REQUIRE(file.ok());
    file.value()->Keep();
  }

  CHECK(FilesIn(dir) == std::set<std::string>{"trace.db", "trace.db.old"});
  CHECK(MarkOf(path + ".old") == "first");
  CHECK(MarkOf(path).empty());
}

TEST_CASE("trace file: what is no trace is refused and stays", "[trace]") {
  const TempDir dir;
  const std::string path = dir.File("thesis.txt");
  std::ofstream(path) << "years of work";

  const auto file = TraceFile::Open(path);

  REQUIRE_FALSE(file.ok());
  CHECK(file.error().code == ErrorCode::kInvalidArgument);
  CHECK(std::filesystem::file_size(path) == 13);
  CHECK(FilesIn(dir) == std::set<std::string>{"thesis.txt"});
}

TEST_CASE("trace file: a file that another recorder writes to is refused and stays", "[trace]") {
  const TempDir dir;
  const std::string path = dir.File("trace.db");
  const auto other = TraceDb::OpenForWriting(path);
  REQUIRE(other.ok());
  REQUIRE(other.value().Execute("PRAGMA journal_mode = WAL; BEGIN").ok());
  REQUIRE(other.value().Execute("INSERT INTO name (id, text) VALUES (1, 'now')").ok());

  const auto file = TraceFile::Open(path);

  REQUIRE_FALSE(file.ok());
  CHECK(file.error().message.find("another recorder") != std::string::npos);
  REQUIRE(other.value().Execute("COMMIT").ok());
  CHECK(MarkOf(path) == "now");
}

}  // namespace gpuwhy
