// SPDX-License-Identifier: Apache-2.0
// Databases made to harm: whatever they hold, an answer or a clean refusal, soon.
#include <atomic>
#include <thread>

#include "schema/trace_db.h"
#include "tests/catch.h"
#include "tests/support/file_state.h"
#include "tests/support/imported.h"
#include "tests/support/small_trace.h"
#include "tests/support/temp_dir.h"

using namespace gpuwhy;

namespace {

constexpr const char* kBomb =
    "WITH RECURSIVE bomb(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM bomb) SELECT count(*) FROM "
    "bomb";

// Like TraceDb::OpenForWriting, but with nothing forbidden.
void Tamper(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  char* message = nullptr;
  const int code = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  INFO((message == nullptr ? "" : message));
  REQUIRE(code == SQLITE_OK);
  sqlite3_close(db);
}

std::string CreateTrace(const TempDir& dir) {
  std::string path = dir.File("a.db");
  WriteSmallTrace(path);
  return path;
}

Result<TraceDb> Tampered(const std::string& sql) {
  const TempDir dir;
  const std::string path = CreateTrace(dir);
  Tamper(path, sql);
  return TraceDb::OpenReadOnly(path);
}

}  // namespace

TEST_CASE("hostile: a table that became a view is refused", "[hostile]") {
  const auto db = Tampered(std::string("DROP TABLE api_call; CREATE VIEW api_call AS ") + kBomb);

  REQUIRE_FALSE(db.ok());
  CHECK(db.error().code == ErrorCode::kCorruptInput);
  CHECK(db.error().message.find("tampered") != std::string::npos);
}

TEST_CASE("hostile: changed tables, changed views and virtual tables are refused", "[hostile]") {
  const std::string sql = GENERATE(as<std::string>(), "ALTER TABLE name ADD COLUMN extra TEXT",
                                   "DROP VIEW api_calls; CREATE VIEW api_calls AS SELECT 1",
                                   "DROP TABLE loss", "CREATE VIRTUAL TABLE evil USING fts5(x)",
                                   "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = "
                                   "replace(sql, 'stack', 'stick') WHERE "
                                   "name = 'api_call'");

  const auto db = Tampered(sql);

  REQUIRE_FALSE(db.ok());
  CHECK(db.error().code == ErrorCode::kCorruptInput);
}

TEST_CASE("hostile: triggers never fire on reading and forbid writing", "[hostile]") {
  const TempDir dir;
  const std::string path = CreateTrace(dir);
  Tamper(path, "CREATE TRIGGER evil AFTER INSERT ON name BEGIN DELETE FROM api_call; END");

  const auto reader = TraceDb::OpenReadOnly(path);
  REQUIRE(reader.ok());
  CHECK(OneRow(reader.value(), "SELECT count(*) FROM api_call") == "500");
  const auto writer = TraceDb::OpenForWriting(path);
  REQUIRE_FALSE(writer.ok());
  CHECK(writer.error().message.find("triggers") != std::string::npos);
}

TEST_CASE("hostile: extra views do nothing unless asked for", "[hostile]") {
  const auto db =
      Tampered(std::string("CREATE VIEW evil AS ") + kBomb +
               "; CREATE VIEW evil2 AS SELECT load_extension('x'); CREATE VIEW evil3 AS "
               "SELECT readfile('/etc/passwd')");
  REQUIRE(db.ok());

  CHECK(OneRow(db.value(), "SELECT count(*) FROM api_calls") == "500");
  CHECK(OneRow(db.value(), "SELECT * FROM evil2").starts_with("error: "));
  CHECK(OneRow(db.value(), "SELECT * FROM evil3").starts_with("error: "));
  std::stop_source stop;
  stop.request_stop();
  db.value().SetInterrupt(stop.get_token(), {});
  CHECK(OneRow(db.value(), "SELECT * FROM evil") ==
        "error: the query was stopped before it finished");
}

TEST_CASE("hostile: a read-only handle does nothing but read", "[hostile]") {
  const TempDir dir;
  const std::string path = CreateTrace(dir);
  const auto before = StateOf(dir.File(""));
  const auto db = TraceDb::OpenReadOnly(path);
  REQUIRE(db.ok());
  for (const std::string sql : {"WITH x AS (SELECT 1) DELETE\tFROM api_call",
                                "WITH x AS (SELECT 1)\nINSERT INTO name (text) SELECT 'y' FROM x",
                                "UPDATE name SET text = 'y'",
                                "/* SELECT */ DROP TABLE name",
                                "CREATE TABLE t (x)",
                                "CREATE TEMP TABLE t (x)",
                                "CREATE TEMP VIEW v AS SELECT 1",
                                "ALTER TABLE name RENAME TO n",
                                "ATTACH '/tmp/evil.db' AS e",
                                "ATTACH ':memory:' AS e",
                                "DETACH main",
                                "PRAGMA writable_schema = 1",
                                "PRAGMA query_only = 0",
                                "PRAGMA journal_mode = WAL",
                                "PRAGMA user_version",
                                "PRAGMA user_version = 5",
                                "SELECT * FROM pragma_journal_mode",
                                "SELECT 1 FROM Pragma_Journal_Mode",
                                "SELECT load_extension('x')",
                                "SELECT writefile('/tmp/x', 1)",
                                "VACUUM",
                                "VACUUM INTO '/tmp/evil.db'",
                                "REINDEX",
                                "ANALYZE",
                                "BEGIN",
                                "BEGIN IMMEDIATE",
                                "SAVEPOINT s",
                                "COMMIT",
                                "SELECT 1; DELETE FROM api_call",
                                "SELECT 1; SELECT 2",
                                "SELECT 1; garbage",
                                "",
                                ";",
                                "-- nothing",
                                "EXPLAIN DELETE FROM name"}) {
    INFO(sql);
    CHECK_FALSE(db.value().Prepare(sql).ok());
  }

  CHECK(StateOf(dir.File("")) == before);
  CHECK(OneRow(db.value(), "SELECT count(*) FROM api_call") == "500");
}

TEST_CASE("hostile: what reading needs is allowed", "[hostile]") {
  const TempDir dir;
  const auto db = TraceDb::OpenReadOnly(CreateTrace(dir));
  REQUIRE(db.ok());
  for (const std::string sql :
       {"SELECT 1;", "SELECT 1 ; -- done", "SELECT 1 /* ; */ ;\n\t ",
        "WITH x AS (SELECT 1) SELECT * FROM x", "SELECT name FROM pragma_table_info('api_call')",
        "PRAGMA table_info(api_call)", "SELECT sql FROM sqlite_schema", "VALUES (1), (2)",
        "SELECT value FROM json_each('[1, 2]')", "SELECT row_number() OVER (ORDER BY id) FROM name",
        "EXPLAIN QUERY PLAN SELECT * FROM api_calls"}) {
    INFO(sql);
    CHECK_FALSE(OneRow(db.value(), sql).starts_with("error: "));
  }
}

TEST_CASE("hostile: endless queries end when told to", "[hostile]") {
  const TempDir dir;
  const auto db = TraceDb::OpenReadOnly(CreateTrace(dir));
  REQUIRE(db.ok());
  for (const std::string sql :
       {kBomb, "SELECT count(*) FROM name a, name b, name c, name d",
        "SELECT p50(a.id) FROM name a, name b, name c, name d",
        "SELECT a.text FROM name a, name b, name c, name d ORDER BY random() LIMIT 1"}) {
    INFO(sql);
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    db.value().SetInterrupt({}, soon);
    const Status status = db.value().Query(sql, {}, [](const Row&) {});
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().code == ErrorCode::kCancelled);
  }

  db.value().SetInterrupt({}, {});
  CHECK(OneRow(db.value(), "SELECT count(*) FROM api_call") == "500");
}

TEST_CASE("hostile: a stop from another thread ends a running query", "[hostile]") {
  const TempDir dir;
  const auto db = TraceDb::OpenReadOnly(CreateTrace(dir));
  REQUIRE(db.ok());
  std::stop_source stop;
  db.value().SetInterrupt(stop.get_token(), {});
  std::atomic<bool> is_running = false;
  std::thread stopper([&] {
    is_running.wait(false);
    stop.request_stop();
  });

  const Status status = db.value().Query(
      "WITH RECURSIVE bomb(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM bomb) SELECT i FROM bomb",
      {}, [&](const Row&) {
        is_running = true;
        is_running.notify_one();
      });
  stopper.join();

  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kCancelled);
}

TEST_CASE("hostile: queries that would eat memory are errors", "[hostile]") {
  const TempDir dir;
  const auto db = TraceDb::OpenReadOnly(CreateTrace(dir));
  REQUIRE(db.ok());
  const std::string long_text = "SELECT '" + std::string(200'000, 'x') + "'";
  // Brackets alone are no depth to every version of SQLite.
  std::string deep = "SELECT ";
  for (int i = 0; i < 5'000; ++i)
    deep += "-(";
  deep += "1" + std::string(5'000, ')');

  for (const std::string& sql :
       {std::string("SELECT zeroblob(1000000000)"), std::string("SELECT hex(zeroblob(60000000))"),
        std::string("SELECT replace(hex(zeroblob(2000000)), '0', text) FROM name WHERE id = 500"),
        long_text, deep}) {
    INFO(sql.substr(0, 60));
    CHECK(OneRow(db.value(), sql).starts_with("error: "));
  }
}

TEST_CASE("hostile: names of a megabyte, invalid UTF-8 and escape sequences are only data",
          "[hostile]") {
  const auto db = Tampered(
      "UPDATE name SET text = CAST(x'1b5b324aff00e280ae' AS TEXT) WHERE id = 1;"
      "UPDATE name SET text = hex(zeroblob(500000)) WHERE id = 2;"
      "UPDATE process SET name = CAST(x'c0af' AS TEXT)");
  REQUIRE(db.ok());

  CHECK(OneRow(db.value(), "SELECT name FROM api_calls WHERE id = 1") ==
        std::string("\x1b[2J\xff\0\xe2\x80\xae", 9));
  CHECK(OneRow(db.value(), "SELECT length(name), process FROM api_calls WHERE id = 2") ==
        "1000000|\xc0\xaf");
}
