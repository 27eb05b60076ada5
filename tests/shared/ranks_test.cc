// SPDX-License-Identifier: Apache-2.0
// The ranks of real jobs beside each other, against the reference's numbers of each.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collectors/import_file.h"
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/shared_data.h"

using namespace gpuwhy;

namespace {

TraceDb ImportRanks(const Json& ranks) {
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  for (const Json& rank : ranks)
    REQUIRE(ImportFile(db.value(), SharedData(rank["file"].get<std::string>()), {}).ok());
  return std::move(db).value();
}

Json Compare(const TraceDb& db) {
  const auto answer = RunToolOn(db, "get_rank_comparison", Json::object());
  INFO((answer.ok() ? "" : answer.error().message));
  REQUIRE(answer.ok());
  return Json::parse(RenderJson(answer.value()));
}

Json SetsOfReference() {
  std::ifstream file(SharedData("reference.json"));
  return Json::parse(file)["sets"];
}

}  // namespace

TEST_CASE("ranks: activity of each rank of every job of the reference", "[shared]") {
  int job_count = 0;
  const Json sets = SetsOfReference();
  for (const auto& [name, set] : sets.items()) {
    if (!set.contains("across_ranks")) continue;
    INFO(name);
    ++job_count;
    const TraceDb db = ImportRanks(set["ranks"]);
    const Json ranks = Compare(db)["ranks"];
    const Json& expected = set["across_ranks"];
    REQUIRE(ranks.size() == expected["busy_us"].size());
    for (size_t i = 0; i < ranks.size(); ++i) {
      for (const auto& [ours, theirs] :
           {std::pair("busy_ns", "busy_us"), std::pair("idle_ns", "idle_us"),
            std::pair("span_ns", "span_us"), std::pair("compute_ns", "compute_us"),
            std::pair("comm_ns", "comm_us"), std::pair("comm_exposed_ns", "comm_exposed_us")}) {
        INFO(ours << " of " << i);
        CHECK(ranks[i][ours] == std::llround(expected[theirs][i].get<double>() * 1000));
      }
    }
  }
  CHECK(job_count == 4);
}

TEST_CASE("ranks: the two that eight tensor-parallel ranks wait for are named", "[shared]") {
  const TraceDb db = ImportRanks(SetsOfReference()["astra-megatron-tp8-a100-8ranks"]["ranks"]);

  const Json answer = Compare(db);

  // Their devices were idle ten times as long as the others'.
  const std::string headline = answer["headline"];
  CHECK(headline.find("8 ranks, 84 collectives") == 0);
  CHECK(headline.find("these in turn: rank 0 (last in 38.1 %") != std::string::npos);
  CHECK(headline.find("rank 6 (last in 34.5 %") != std::string::npos);
  int64_t last_count = 0;
  for (const Json& rank : answer["collective_skew"]) {
    last_count += rank["last_count"].get<int64_t>();
    CHECK(rank["clock_offset_ns"] == 0);  // one machine
  }
  CHECK(last_count == 84);
}
