// SPDX-License-Identifier: Apache-2.0
// The .sql files are the documentation that users and models read, and the format of every file on
// disk: both are held here.
#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "schema/embedded.h"
#include "schema/trace_db.h"
#include "tests/catch.h"

using namespace gpuwhy;

namespace {

// The schema of kSchemaVersion; see the last test.
constexpr uint64_t kSchemaHash = 0x40fd0d5351e52835;

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

struct Column {
  std::string name;
  std::string type;
  std::string comment;
};

std::vector<Column> ColumnsOf(const EmbeddedFile& table) {
  static const std::regex kColumn(
      R"(^  ([a-z][a-z0-9_]*) (INTEGER|TEXT|REAL|BLOB)\b[^-]*(?:-- (.+))?$)");
  std::vector<Column> columns;
  for (const std::string& line : Lines(table.text)) {
    std::smatch match;
    if (std::regex_match(line, match, kColumn)) columns.push_back({match[1], match[2], match[3]});
  }
  return columns;
}

// Numbers without a unit: identities, codes, positions in a space and flags.
bool NeedsNoUnit(const std::string& name) {
  static const std::set<std::string> kPlain = {
      "id",   "pid",    "tid",    "rank",   "world_size", "stream",  "event",   "return_code",
      "line", "grid_x", "grid_y", "grid_z", "block_x",    "block_y", "block_z", "value"};
  return kPlain.contains(name) || name.ends_with("_id") || name.ends_with("_index") ||
         name.starts_with("is_");
}

bool HasUnit(const std::string& name) {
  if (name == "bytes") return true;
  for (const char* unit : {"_ns", "_bytes", "_pct", "_ratio", "_count", "_mhz", "_watts"}) {
    if (name.ends_with(unit)) return true;
  }
  return false;
}

uint64_t Hash() {
  uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const auto& files : {EmbeddedTables(), EmbeddedViews()}) {
    for (const EmbeddedFile& file : files) {
      for (const char c : file.text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
  }
  return hash;
}

}  // namespace

TEST_CASE("schema: every column says what it is", "[schema]") {
  const auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  for (const EmbeddedFile& table : EmbeddedTables()) {
    INFO(table.name);
    const auto columns = ColumnsOf(table);
    const auto count = db.value().QueryInt(
        fmt::format("SELECT count(*) FROM pragma_table_info('{}')", table.name));
    REQUIRE(count.ok());
    CHECK(static_cast<int64_t>(columns.size()) == count.value());
    for (const Column& column : columns) {
      INFO(column.name);
      CHECK((!column.comment.empty() || column.name == "id"));
    }
  }
}

TEST_CASE("schema: every number has its unit in its name", "[schema]") {
  for (const EmbeddedFile& table : EmbeddedTables()) {
    for (const Column& column : ColumnsOf(table)) {
      if (column.type == "TEXT" || column.type == "BLOB") continue;
      INFO(table.name << "." << column.name
                      << ": end it in _ns, _bytes, _pct, _ratio, _count, _mhz or "
                      << "_watts");
      CHECK((NeedsNoUnit(column.name) || HasUnit(column.name)));
    }
  }
}

TEST_CASE("schema: every table and view opens with a sentence about its rows", "[schema]") {
  for (const auto& files : {EmbeddedTables(), EmbeddedViews()}) {
    for (const EmbeddedFile& file : files) {
      INFO(file.name);
      const auto lines = Lines(StatementText(file));
      REQUIRE(lines.size() > 2);
      CHECK(lines[0].find(file.name) != std::string::npos);
      CHECK(lines[1].starts_with("  -- "));
    }
  }
}

TEST_CASE("schema: tables are strict, and every view can be read", "[schema]") {
  const auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  for (const EmbeddedFile& table : EmbeddedTables()) {
    INFO(table.name);
    CHECK(StatementText(table).find(") STRICT") != std::string_view::npos);
  }
  for (const EmbeddedFile& view : EmbeddedViews()) {
    INFO(view.name);
    CHECK(db.value().QueryInt(fmt::format("SELECT count(*) FROM {}", view.name)).ok());
  }
}

TEST_CASE("schema: a change of the schema is a new version", "[schema]") {
  std::ifstream file(GPUWHY_SOURCE_DIR "/schema/CHANGES.md");
  std::stringstream changes;
  changes << file.rdbuf();

  INFO(
      "The tables or views changed. Files on disk have the old ones, so: raise kSchemaVersion in "
      "schema/trace_db.h, add a step to kMigrations in schema/trace_db.cc and a line to "
      "schema/CHANGES.md, then set kSchemaHash here to "
      << fmt::format("0x{:016x}", Hash()));
  CHECK(Hash() == kSchemaHash);
  CHECK(changes.str().find(fmt::format("| {} |", kSchemaVersion)) != std::string::npos);
  CHECK(changes.str().find(fmt::format("| {} |", kSchemaVersion + 1)) == std::string::npos);
}
