// SPDX-License-Identifier: Apache-2.0
#include "schema/sql_functions.h"

#include "schema/histogram.h"
#include "tests/catch.h"
#include "tests/support/imported.h"

using namespace gpuwhy;

namespace {

TraceDb Empty() {
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  return std::move(db).value();
}

std::string Of(const std::string& expression, const std::string& values) {
  return OneRow(Empty(), "WITH t(x) AS (VALUES " + values + ") SELECT " + expression + " FROM t");
}

const char* kOneToHundred =
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 100) SELECT ";

}  // namespace

TEST_CASE("percentiles: nearest rank, the value at ceil(p * n)", "[sql]") {
  const TraceDb db = Empty();

  CHECK(OneRow(db, std::string(kOneToHundred) + "p50(x), p95(x), p99(x) FROM t") == "50|95|99");
  CHECK(OneRow(db, std::string(kOneToHundred) + "percentile(x, 0.001), percentile(x, 0.07), "
                                                "percentile(x, 0.071), percentile(x, 1) FROM t") ==
        "1|7|8|100");
  CHECK(Of("p50(x), p99(x)", "(3), (1), (2)") == "2|3");
  CHECK(Of("p50(x)", "(1), (2)") == "1");
  CHECK(Of("p99(x)", "(7)") == "7");
}

TEST_CASE("percentiles: every rank of every size agrees with sorting", "[sql]") {
  const TraceDb db = Empty();
  for (int size = 1; size <= 40; ++size) {
    const std::string upto =
        "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < " +
        std::to_string(size) + ") SELECT ";
    const int rank = (95 * size + 99) / 100;
    REQUIRE(OneRow(db, upto + "p95(x) FROM t") == std::to_string(rank));
  }
}

TEST_CASE("percentiles: times since the epoch come back to the nanosecond", "[sql]") {
  CHECK(Of("p50(x)", "(1774015573210657601), (1774015573210657602), (1774015573210657603)") ==
        "1774015573210657602");
}

TEST_CASE("percentiles: reals, NULLs and nothing at all", "[sql]") {
  CHECK(Of("p50(x)", "(1), (2.5), (3)") == "2.5");
  CHECK(Of("p50(x)", "(NULL), (4), (NULL)") == "4");
  CHECK(Of("p50(x) IS NULL", "(NULL)") == "1");
  CHECK(OneRow(Empty(), "SELECT p50(duration_ns) IS NULL FROM api_call") == "1");
}

TEST_CASE("percentiles: wrong arguments are errors that say what is right", "[sql]") {
  for (const char* p : {"0", "1.5", "-1", "NULL", "'x'"}) {
    const std::string row = Of("percentile(x, " + std::string(p) + ")", "(1)");
    CHECK(row.find("percentile wants p in (0, 1]") != std::string::npos);
  }
  CHECK(Of("p50(x)", "('abc')").find("not of text") != std::string::npos);
}

TEST_CASE("percentiles: grouping and windows do not mix states", "[sql]") {
  const TraceDb db = Empty();

  CHECK(Rows(db,
             "WITH t(g, x) AS (VALUES (1, 5), (2, 50), (1, 7), (2, 70), (1, 6)) SELECT g, p50(x) "
             "FROM t GROUP BY g ORDER BY g") == std::vector<std::string>{"1|6", "2|50"});
}

TEST_CASE("histogram_percentile: merges histograms of several rows", "[sql]") {
  const TraceDb db = Empty();
  Histogram low;
  Histogram high;
  low.Add(10, 90);
  high.Add(100, 10);
  auto insert = db.Prepare(
      "INSERT INTO latency (bucket_ns, width_ns, source, name_id, event_count, "
      "stored_count, sum_ns, min_ns, max_ns, histogram) VALUES (0, 1, 'api_call', "
      "1, 1, 1, 1, 1, 1, ?)");
  REQUIRE(insert.ok());
  for (const Histogram* histogram : {&low, &high}) {
    insert.value().BindBlob(1, histogram->Encode());
    REQUIRE(insert.value().Run().ok());
  }

  CHECK(OneRow(db,
               "SELECT histogram_percentile(histogram, 0.9), histogram_percentile(histogram, 0.91) "
               "FROM latency") == "10|100");
  CHECK(OneRow(db, "SELECT histogram_percentile(NULL, 0.5) IS NULL") == "1");
  CHECK(OneRow(db, "SELECT histogram_percentile(x'ffffffffffffffffffffff', 0.5)")
            .find("histogram is damaged") != std::string::npos);
}
