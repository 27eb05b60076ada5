// SPDX-License-Identifier: Apache-2.0
// Databases made to harm: whatever they hold, an answer or a clean refusal, soon.
#include <array>
#include <fstream>

#include "schema/embedded.h"
#include "schema/trace_db.h"
#include "tests/catch.h"
#include "tests/support/file_state.h"
#include "tests/support/imported.h"
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
  auto db = TraceDb::OpenForWriting(path);
  REQUIRE(db.ok());
  REQUIRE(db.value()
              .Execute(
                  "INSERT INTO name (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                  "FROM n WHERE i < 2000) SELECT 'function number ' || i FROM n;"
                  "INSERT INTO process (capture_id, pid, name) VALUES (1, 7, 'train');"
                  "INSERT INTO thread (process_id, tid) VALUES (1, 7);"
                  "INSERT INTO api_call (start_ns, duration_ns, thread_id, name_id) SELECT id * "
                  "1000, id, 1, id FROM name;"
                  "INSERT INTO latency (bucket_ns, width_ns, process_id, source, name_id, "
                  "event_count, stored_count, sum_ns, min_ns, max_ns, histogram) SELECT 0, 1, 1, "
                  "'api_call', id, 1, 1, 1, 1, 1, x'0501' FROM name")
              .ok());
  REQUIRE(db.value().CreateIndexes().ok());
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
  CHECK(OneRow(reader.value(), "SELECT count(*) FROM api_call") == "2000");
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

  CHECK(OneRow(db.value(), "SELECT count(*) FROM api_calls") == "2000");
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
  const std::string sql = GENERATE(
      as<std::string>(), "WITH x AS (SELECT 1) DELETE\tFROM api_call",
      "WITH x AS (SELECT 1)\nINSERT INTO name (text) SELECT 'y' FROM x",
      "UPDATE name SET text = 'y'", "/* SELECT */ DROP TABLE name", "CREATE TABLE t (x)",
      "CREATE TEMP TABLE t (x)", "CREATE TEMP VIEW v AS SELECT 1", "ALTER TABLE name RENAME TO n",
      "ATTACH '/tmp/evil.db' AS e", "ATTACH ':memory:' AS e", "DETACH main",
      "PRAGMA writable_schema = 1", "PRAGMA query_only = 0", "PRAGMA journal_mode = WAL",
      "PRAGMA user_version", "PRAGMA user_version = 5", "SELECT * FROM pragma_journal_mode",
      "SELECT load_extension('x')", "SELECT writefile('/tmp/x', 1)", "VACUUM",
      "VACUUM INTO '/tmp/evil.db'", "REINDEX", "ANALYZE", "BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s",
      "COMMIT", "SELECT 1; DELETE FROM api_call", "SELECT 1; SELECT 2", "SELECT 1; garbage", "",
      ";", "-- nothing", "EXPLAIN DELETE FROM name");
  INFO(sql);

  const auto prepared = db.value().Prepare(sql);

  CHECK_FALSE(prepared.ok());
  CHECK(StateOf(dir.File("")) == before);
  CHECK(OneRow(db.value(), "SELECT count(*) FROM api_call") == "2000");
}

TEST_CASE("hostile: what reading needs is allowed", "[hostile]") {
  const TempDir dir;
  const auto db = TraceDb::OpenReadOnly(CreateTrace(dir));
  REQUIRE(db.ok());
  const std::string sql = GENERATE(
      as<std::string>(), "SELECT 1;", "SELECT 1 ; -- done", "SELECT 1 /* ; */ ;\n\t ",
      "WITH x AS (SELECT 1) SELECT * FROM x", "SELECT name FROM pragma_table_info('api_call')",
      "PRAGMA table_info(api_call)", "SELECT sql FROM sqlite_schema", "VALUES (1), (2)",
      "SELECT p99(duration_ns) OVER (ORDER BY id) FROM api_call LIMIT 1",
      "EXPLAIN QUERY PLAN SELECT * FROM api_calls");
  INFO(sql);

  CHECK_FALSE(OneRow(db.value(), sql).starts_with("error: "));
}

TEST_CASE("hostile: endless queries end when told to", "[hostile]") {
  const TempDir dir;
  const auto db = TraceDb::OpenReadOnly(CreateTrace(dir));
  REQUIRE(db.ok());
  const std::string sql =
      GENERATE(as<std::string>(), kBomb, "SELECT count(*) FROM name a, name b, name c, name d",
               "SELECT p50(a.id) FROM name a, name b, name c, name d",
               "SELECT a.text FROM name a, name b, name c, name d ORDER BY random() LIMIT 1",
               "SELECT count(*) FROM name a, name b WHERE a.text || b.text LIKE '%x%y%z%'");
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  db.value().SetInterrupt({}, soon);

  const Status status = db.value().Query(sql, {}, [](const Row&) {});

  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kCancelled);
  db.value().SetInterrupt({}, {});
  CHECK(OneRow(db.value(), "SELECT count(*) FROM api_call") == "2000");
}

TEST_CASE("hostile: queries that would eat memory are errors", "[hostile]") {
  const TempDir dir;
  const auto db = TraceDb::OpenReadOnly(CreateTrace(dir));
  REQUIRE(db.ok());
  const std::string sql =
      GENERATE(as<std::string>(), "SELECT zeroblob(1000000000)", "SELECT printf('%1000000000d', 1)",
               "SELECT hex(zeroblob(60000000))",
               "SELECT replace(hex(zeroblob(1000000)), '0', text) FROM "
               "name WHERE id = 2000",
               "SELECT '" + std::string(200'000, 'x') + "'",
               "SELECT " + std::string(5'000, '(') + "1" + std::string(5'000, ')'));

  CHECK(OneRow(db.value(), sql).starts_with("error: "));
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

TEST_CASE("hostile: any damaged page gives an answer or an error", "[hostile]") {
  const TempDir dir;
  const std::string path = CreateTrace(dir);
  std::string original;
  {
    std::ifstream file(path, std::ios::binary);
    original.assign(std::istreambuf_iterator<char>(file), {});
  }
  constexpr size_t kPageBytes = 16384;
  REQUIRE(original.size() % kPageBytes == 0);
  const std::string damaged_path = dir.File("damaged.db");
  std::vector<std::string> queries;
  for (const auto& files : {EmbeddedTables(), EmbeddedViews()}) {
    for (const EmbeddedFile& file : files)
      queries.push_back("SELECT * FROM " + std::string(file.name));
  }
  queries.emplace_back("SELECT histogram_percentile(histogram, 0.5) FROM latency GROUP BY name_id");
  queries.emplace_back("SELECT p99(duration_ns) FROM api_call WHERE start_ns > 5000");

  int refused_count = 0;
  int answered_count = 0;
  for (size_t page = 0; page < original.size(); page += kPageBytes) {
    // The page header, its cell pointers, the middle and the end, where cells begin.
    for (const size_t offset : {0UL, 3UL, 5UL, 8UL, 13UL, 40UL, kPageBytes / 2, kPageBytes - 9}) {
      for (const int flip : {0x01, 0x80, 0xFF}) {
        std::string damaged = original;
        damaged[page + offset] = static_cast<char>(damaged[page + offset] ^ flip);
        std::ofstream(damaged_path, std::ios::binary) << damaged;
        const auto db = TraceDb::OpenReadOnly(damaged_path);
        if (!db.ok()) {
          CHECK_FALSE(db.error().message.empty());
          ++refused_count;
          continue;
        }
        db.value().SetInterrupt({}, std::chrono::steady_clock::now() + std::chrono::seconds(5));
        for (const std::string& query : queries) {
          const Status status =
              db.value().Query(query, {}, [](const Row& row) { (void)row.Text(0); });
          if (!status.ok()) CHECK_FALSE(status.error().message.empty());
        }
        ++answered_count;
      }
    }
  }

  CHECK(refused_count > 0);
  CHECK(answered_count > 0);
}
