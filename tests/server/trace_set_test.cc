// SPDX-License-Identifier: Apache-2.0
#include "server/trace_set.h"

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

int64_t CaptureCount(const TraceDb& db) {
  return db.QueryInt("SELECT count(*) FROM capture").value();
}

void AddCapture(const std::string& path) {
  const auto db = TraceDb::OpenForWriting(path);
  REQUIRE(db.ok());
  REQUIRE(db.value().Execute("INSERT INTO capture (kind) VALUES ('self')").ok());
}

TEST_CASE("trace set: names are file names without extension, made unique", "[server]") {
  TraceSet traces;

  CHECK(traces.Add("/a/run.json.gz") == "run");
  CHECK(traces.Add("/b/run.db") == "run-2");
  CHECK(traces.Add("/a/run.json.gz") == "run");
  CHECK(traces.Add("/c/two words\x1b[31m.db").find_first_of(" \x1b") == std::string::npos);
  CHECK(traces.Names().size() == 3);
}

TEST_CASE("trace set: naming a missing file is fine, opening it is an error", "[server]") {
  TraceSet traces;
  traces.Add("/nonexistent/x.db");

  const auto lease = traces.Borrow("x", {});

  REQUIRE_FALSE(lease.ok());
  CHECK(lease.error().code == ErrorCode::kNotFound);
  CHECK(lease.error().message == "cannot open /nonexistent/x.db: no such file");
}

TEST_CASE("trace set: an unknown name is answered with the names there are", "[server]") {
  TraceSet traces;
  CHECK(traces.Borrow("", {}).error().code == ErrorCode::kNotFound);
  traces.Add("a.db");
  traces.Add("b.db");

  CHECK(traces.Borrow("", {}).error().message.find("a, b") != std::string::npos);
  CHECK(traces.Borrow("c", {}).error().message.find("a, b") != std::string::npos);
}

TEST_CASE("trace set: a file of no known format is refused in one sentence", "[server]") {
  const TempDir dir;
  std::ofstream(dir.File("x.db")) << "hello";
  std::ofstream(dir.File("empty.db")).flush();
  TraceSet traces;
  traces.Add(dir.File("x.db"));
  traces.Add(dir.File("empty.db"));

  CHECK(traces.Borrow("x", {}).error().message.find("no format that gpuwhy reads") !=
        std::string::npos);
  CHECK(traces.Borrow("empty", {}).error().message.find("is empty (0 bytes)") != std::string::npos);
}

TEST_CASE("trace set: a handle is used again until the file is replaced", "[server]") {
  const TempDir dir;
  AddCapture(dir.File("t.db"));
  TraceSet traces;
  traces.Add(dir.File("t.db"));
  const auto borrow = [&] { return traces.Borrow("", {}); };
  const sqlite3* first = borrow().value().db().handle();

  CHECK(borrow().value().db().handle() == first);

  AddCapture(dir.File("new.db"));
  AddCapture(dir.File("new.db"));
  std::filesystem::rename(dir.File("new.db"), dir.File("t.db"));

  CHECK(CaptureCount(borrow().value().db()) == 2);
}

TEST_CASE("trace set: two leases have two handles", "[server]") {
  const TempDir dir;
  AddCapture(dir.File("t.db"));
  TraceSet traces;
  traces.Add(dir.File("t.db"));

  const auto first = traces.Borrow("", {});
  const auto second = traces.Borrow("", {});

  CHECK(first.value().db().handle() != second.value().db().handle());
}

TEST_CASE("trace set: a stop ends the queries of the handle, but not of its next user",
          "[server]") {
  const TempDir dir;
  AddCapture(dir.File("t.db"));
  TraceSet traces;
  traces.Add(dir.File("t.db"));
  constexpr std::string_view kCount =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
      "SELECT count(*) FROM n";
  {
    std::stop_source stop;
    const auto lease = traces.Borrow("", stop.get_token());
    stop.request_stop();
    CHECK(lease.value().db().QueryInt(kCount).error().code == ErrorCode::kCancelled);
  }

  CHECK(traces.Borrow("", {}).value().db().QueryInt(kCount).value() == 100000);
}

}  // namespace
}  // namespace gpuwhy
