// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collectors/recorder.h"
#include "schema/trace_db.h"
#include "tests/catch.h"
#include "tools/tool.h"

namespace gpuwhy {

namespace {

// A database with ten calls of 1..10 us, and a read-only handle to it.
struct Fixture {
  TraceDb writer;
  TraceDb reader;

  static Fixture Make() {
    auto writer = TraceDb::CreateInMemory();
    REQUIRE(writer.ok());
    auto recorder = Recorder::Start(writer.value(), {.kind = "self"});
    REQUIRE(recorder.ok());
    Recorder& to = *recorder.value();
    const int64_t process = to.ProcessOf(1);
    to.SetProcess(process, {.name = "evil\x1b[31m\xE2\x80\xAEname"});
    const int64_t thread = to.ThreadOf(process, 1);
    const int64_t name = to.InternName("cudaLaunchKernel");
    for (int64_t i = 1; i <= 10; ++i) {
      to.Add(ApiCallRow{
          .start_ns = i * 10'000, .duration_ns = i * 1000, .thread_id = thread, .name_id = name});
    }
    REQUIRE(to.Finish().ok());
    auto reader = TraceDb::OpenReadOnly(writer.value().uri());
    REQUIRE(reader.ok());
    return {std::move(writer).value(), std::move(reader).value()};
  }

  Result<Answer> Run(const std::string& sql, int64_t limit = 100) const {
    const Tool* tool = tools::FindTool("run_sql");
    REQUIRE(tool != nullptr);
    const auto params = Params::Parse(tool->params, {{"sql", sql}, {"limit", limit}});
    REQUIRE(params.ok());
    return tool->run({.db = &reader, .params = params.value(), .stop = {}, .progress = {}});
  }

  std::string Refusal(const std::string& sql) const {
    const auto answer = Run(sql);
    INFO(sql);
    REQUIRE_FALSE(answer.ok());
    return answer.error().message;
  }
};

const Table& RowsOf(const Answer& answer) {
  return std::get<Table>(answer.sections.at(0));
}

}  // namespace

TEST_CASE("run_sql: answers with raw values and the functions of gpuwhy", "[tools]") {
  const Fixture fixture = Fixture::Make();

  const auto answer =
      fixture.Run("SELECT name, count(*) AS n, p50(duration_ns) AS p50_ns FROM api_calls");

  REQUIRE(answer.ok());
  const Table& table = RowsOf(answer.value());
  REQUIRE(table.rows.size() == 1);
  CHECK(std::get<std::string>(table.rows[0][0]) == "cudaLaunchKernel");
  CHECK(std::get<int64_t>(table.rows[0][1]) == 10);
  CHECK(std::get<int64_t>(table.rows[0][2]) == 5000);
}

TEST_CASE("run_sql: says how to narrow when rows or bytes run out", "[tools]") {
  const Fixture fixture = Fixture::Make();

  const auto few = fixture.Run("SELECT id FROM api_call", 3);
  const auto wide = fixture.Run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
      "SELECT printf('%.*c', 250, 'x') FROM n");

  REQUIRE(few.ok());
  CHECK(RowsOf(few.value()).rows.size() == 3);
  CHECK(few.value().notes.at(0).find("limit=3") != std::string::npos);
  REQUIRE(wide.ok());
  CHECK(RowsOf(wide.value()).rows.size() < 100);
  CHECK(wide.value().notes.at(0).find("is cut") != std::string::npos);
}

TEST_CASE("run_sql: everything but one SELECT is refused", "[tools]") {
  const Fixture fixture = Fixture::Make();
  const std::string sql = GENERATE(
      "WITH x AS (SELECT 1) DELETE\tFROM api_call", "INSERT INTO name (text) VALUES ('x')",
      "UPDATE api_call SET bytes = 1", "DROP TABLE api_call", "ATTACH '/tmp/x' AS x",
      "PRAGMA writable_schema = 1", "PRAGMA journal_mode = DELETE", "SELECT load_extension('x')",
      "CREATE TABLE x (a)", "VACUUM INTO '/tmp/x'", "BEGIN", "SELECT 1; SELECT 2",
      "SELECT 1; DELETE FROM name", "", ";", "-- nothing", "EXPLAIN");

  CHECK_FALSE(fixture.Refusal(sql).empty());
  CHECK(fixture.writer.QueryInt("SELECT count(*) FROM api_call").value() == 10);
}

TEST_CASE("run_sql: a trailing semicolon and a comment are one statement", "[tools]") {
  const Fixture fixture = Fixture::Make();

  CHECK(fixture.Run("SELECT 1; -- done").ok());
}

TEST_CASE("run_sql: an unknown column is answered with the columns there are", "[tools]") {
  const Fixture fixture = Fixture::Make();

  const std::string message = fixture.Refusal("SELECT duration FROM api_calls");

  CHECK(message.find("no such column: duration") != std::string::npos);
  CHECK(message.find("duration_ns") != std::string::npos);
}

TEST_CASE("run_sql: text from the trace is cleaned, blobs are hex, NULL is empty", "[tools]") {
  const Fixture fixture = Fixture::Make();

  const auto answer =
      fixture.Run("SELECT process, x'00ff' AS b, NULL AS nothing FROM api_calls LIMIT 1");

  REQUIRE(answer.ok());
  const std::string text = RenderText(answer.value());
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(text.find("x'00ff'") != std::string::npos);
}

}  // namespace gpuwhy
