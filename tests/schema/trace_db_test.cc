// SPDX-License-Identifier: Apache-2.0
#include "schema/trace_db.h"

#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "tests/catch.h"
#include "tests/support/file_state.h"
#include "tests/support/imported.h"
#include "tests/support/temp_dir.h"

using namespace gpuwhy;

namespace {

constexpr const char* kInsert = "INSERT INTO name (text) VALUES ('x')";

TraceDb Create(const std::string& path) {
  auto db = TraceDb::OpenForWriting(path);
  REQUIRE(db.ok());
  return std::move(db).value();
}

Error OpenError(const std::string& path) {
  const auto db = TraceDb::OpenReadOnly(path);
  REQUIRE_FALSE(db.ok());
  return db.error();
}

bool Says(const Error& error, const std::string& text) {
  return error.message.find(text) != std::string::npos;
}

void Write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("trace_db: what is written is read back, and reading changes nothing", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  REQUIRE(Create(path).Execute(kInsert).ok());
  const auto before = StateOf(dir.File(""));

  {
    const auto db = TraceDb::OpenReadOnly(path);
    REQUIRE(db.ok());
    CHECK(OneRow(db.value(), "SELECT text FROM name") == "x");
    CHECK(OneRow(db.value(), "SELECT count(*) FROM api_calls") == "0");
    CHECK(StateOf(dir.File("")) == before);
  }

  CHECK(StateOf(dir.File("")) == before);
  CHECK(before.size() == 1);
}

TEST_CASE("trace_db: paths with odd characters are just paths", "[db]") {
  const TempDir dir;
  const std::string name =
      GENERATE(as<std::string>(), "a?mode=rwc#x.db", "50%.db", "a b'\".db", "ünï.db", "%20.db");
  REQUIRE(Create(dir.File(name)).Execute(kInsert).ok());

  const auto db = TraceDb::OpenReadOnly(dir.File(name));

  REQUIRE(db.ok());
  CHECK(OneRow(db.value(), "SELECT text FROM name") == "x");
  CHECK(StateOf(dir.File("")).size() == 1);
}

TEST_CASE("trace_db: a finished WAL file is read without files beside it", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  {
    const TraceDb writer = Create(path);
    REQUIRE(OneRow(writer, "PRAGMA journal_mode = WAL") == "wal");
    REQUIRE(writer.Execute(kInsert).ok());
  }
  const auto before = StateOf(dir.File(""));
  REQUIRE(before.size() == 1);

  {
    const auto db = TraceDb::OpenReadOnly(path);
    REQUIRE(db.ok());
    CHECK(OneRow(db.value(), "SELECT text FROM name") == "x");
    CHECK(StateOf(dir.File("")) == before);
  }

  CHECK(StateOf(dir.File("")) == before);
}

TEST_CASE("trace_db: a reader sees what a live recorder has committed, and nothing else", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  const TraceDb writer = Create(path);
  REQUIRE(OneRow(writer, "PRAGMA journal_mode = WAL") == "wal");
  REQUIRE(writer.Execute(kInsert).ok());

  const auto reader = TraceDb::OpenReadOnly(path);
  REQUIRE(reader.ok());
  CHECK(OneRow(reader.value(), "SELECT count(*) FROM name") == "1");
  REQUIRE(writer.Execute("BEGIN").ok());
  REQUIRE(writer.Execute(kInsert).ok());
  CHECK(OneRow(reader.value(), "SELECT count(*) FROM name") == "1");
  REQUIRE(writer.Execute("COMMIT").ok());

  CHECK(OneRow(reader.value(), "SELECT count(*) FROM name") == "2");
}

TEST_CASE("trace_db: a WAL left by a crash is read, and stays as it is", "[db]") {
  const TempDir dir;
  const TempDir copy;
  const TraceDb writer = Create(dir.File("a.db"));
  REQUIRE(OneRow(writer, "PRAGMA journal_mode = WAL") == "wal");
  REQUIRE(writer.Execute(kInsert).ok());
  std::filesystem::copy_file(dir.File("a.db"), copy.File("a.db"));
  std::filesystem::copy_file(dir.File("a.db-wal"), copy.File("a.db-wal"));
  const auto before = StateOf(copy.File(""));

  {
    const auto db = TraceDb::OpenReadOnly(copy.File("a.db"));
    REQUIRE(db.ok());
    CHECK(OneRow(db.value(), "SELECT count(*) FROM name") == "1");
    CHECK(StateOf(copy.File("")) == before);
  }

  CHECK(StateOf(copy.File("")) == before);
}

TEST_CASE("trace_db: what is no database is refused in one sentence", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");

  CHECK(Says(OpenError(path), "no such file"));
  CHECK(Says(OpenError(dir.File("")), "not a regular file"));
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK(Says(OpenError(path), "not a regular file"));
  std::filesystem::remove(path);
  Write(path, "");
  CHECK(Says(OpenError(path), "is empty (0 bytes)"));
  Write(path, "hello");
  CHECK(Says(OpenError(path), "is not a SQLite database"));
  Write(path, std::string("SQLite format 3\0", 16));
  CHECK(Says(OpenError(path), "truncated"));
  Write(path, std::string("SQLite format 3\0", 16) + std::string(5000, '\xff'));
  CHECK(OpenError(path).code == ErrorCode::kCorruptInput);
  CHECK_FALSE(TraceDb::OpenForWriting(path).ok());
}

TEST_CASE("trace_db: a file cut short is refused, wherever it is cut", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  Create(path);
  const uint64_t size = std::filesystem::file_size(path);

  for (uint64_t kept = size - 1; kept > 0; kept = kept * 3 / 4) {
    std::filesystem::resize_file(path, kept);
    const Error error = OpenError(path);
    CHECK(error.code == ErrorCode::kCorruptInput);
    CHECK(Says(error, path));
  }
}

TEST_CASE("trace_db: the database of another program is not ours", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  REQUIRE(Create(path).Execute("PRAGMA application_id = 7").ok());

  CHECK(Says(OpenError(path), "not a gpuwhy trace"));
  CHECK_FALSE(TraceDb::OpenForWriting(path).ok());
  const auto foreign = TraceDb::OpenForeign(path);
  REQUIRE(foreign.ok());
  CHECK(OneRow(foreign.value(), "SELECT count(*) FROM name") == "0");
  CHECK_FALSE(foreign.value().Execute(kInsert).ok());
}

TEST_CASE("trace_db: newer and older versions say what to do", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  REQUIRE(Create(path).Execute("PRAGMA user_version = 99").ok());

  CHECK(Says(OpenError(path), "upgrade gpuwhy"));
  CHECK_FALSE(TraceDb::OpenForWriting(path).ok());
}

TEST_CASE("trace_db: a version that never was is too old", "[db]") {
  const TempDir dir;
  const std::string path = dir.File("a.db");
  REQUIRE(Create(path).Execute("PRAGMA user_version = 0").ok());

  CHECK(Says(OpenError(path), "record or import it again"));
  CHECK_FALSE(TraceDb::OpenForWriting(path).ok());
}

TEST_CASE("trace_db: migrations run in order, and a failing one leaves the file as it was",
          "[db]") {
  const TempDir dir;
  const TraceDb db = Create(dir.File("a.db"));
  const std::vector<Migration> steps = {
      {.from = 1, .sql = "ALTER TABLE name ADD COLUMN a INTEGER"},
      {.from = 2, .sql = "UPDATE name SET a = 5; ALTER TABLE name ADD COLUMN b INTEGER"},
      {.from = 3, .sql = "INSERT INTO name (text) VALUES ('y'); INSERT INTO nowhere VALUES (1)"}};
  REQUIRE(db.Execute(kInsert).ok());

  const Status migrated = Migrate(db, 1, steps);

  CHECK_FALSE(migrated.ok());
  CHECK(OneRow(db, "PRAGMA user_version") == "3");
  CHECK(OneRow(db, "SELECT text, a, b FROM name") == "x|5|");
  CHECK(OneRow(db, "SELECT count(*) FROM name") == "1");
  CHECK(sqlite3_get_autocommit(db.handle()) != 0);
  CHECK(Migrate(db, 3, std::span(steps).first(2)).ok());
}

TEST_CASE("trace_db: an in-memory database is read by many threads at once", "[db]") {
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  REQUIRE(db.value()
              .Execute(
                  "INSERT INTO name (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                  "FROM n WHERE i < 1000) SELECT 'n' || i FROM n")
              .ok());
  std::vector<std::string> sums(8);

  std::vector<std::thread> threads;
  for (std::string& sum : sums) {
    threads.emplace_back([&] {
      const auto reader = TraceDb::OpenReadOnly(db.value().uri());
      for (int i = 0; reader.ok() && i < 50; ++i)
        sum = OneRow(reader.value(), "SELECT sum(length(text)) FROM name");
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  for (const std::string& sum : sums)
    CHECK(sum == "3893");
  CHECK_FALSE(TraceDb::OpenReadOnly("file:/gpuwhy-memory-999999?vfs=memdb").ok());
}

TEST_CASE("trace_db: a query inside the rows of the same query does not disturb it", "[db]") {
  const auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  REQUIRE(db.value().Execute("INSERT INTO name (text) VALUES ('a'), ('b'), ('c')").ok());
  const char* sql = "SELECT text FROM name ORDER BY id";
  std::string seen;

  REQUIRE(db.value()
              .Query(sql, {},
                     [&](const Row& outer) {
                       seen += outer.Text(0);
                       (void)db.value().Query(sql, {},
                                              [&](const Row& row) { seen += row.Text(0); });
                     })
              .ok());

  CHECK(seen == "aabcbabccabc");
}
