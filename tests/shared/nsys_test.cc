// SPDX-License-Identifier: Apache-2.0
// Every real Nsight Systems export, against numbers computed from it by independent means
// (reference.json).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"

using namespace gpuwhy;
using Json = nlohmann::json;

namespace {

Json NsysReference() {
  std::ifstream file(SharedData("reference.json"));
  return Json::parse(file)["nsys"];
}

int64_t Number(const TraceDb& db, const std::string& sql) {
  const auto value = db.QueryInt(sql);
  REQUIRE(value.ok());
  return value.value();
}

// Of all devices together, as the reference counts.
int64_t UnionNs(const TraceDb& db) {
  int64_t busy_ns = 0;
  int64_t until_ns = INT64_MIN;
  REQUIRE(db.Query("SELECT start_ns, start_ns + duration_ns FROM gpu_op WHERE kind <> 'sync' ORDER "
                   "BY start_ns",
                   {},
                   [&](const Row& row) {
                     busy_ns += std::max<int64_t>(row.Int(1) - std::max(row.Int(0), until_ns), 0);
                     until_ns = std::max(until_ns, row.Int(1));
                   })
              .ok());
  return busy_ns;
}

void CheckWork(const TraceDb& db, const Json& expected) {
  for (const auto& [table, kind] : {std::pair("KERNEL", "kernel"), std::pair("MEMCPY", "memcpy"),
                                    std::pair("MEMSET", "memset")}) {
    const Json rows = expected.value("CUPTI_ACTIVITY_KIND_" + std::string(table), Json());
    if (rows.is_null()) continue;
    const std::string where = " FROM gpu_op WHERE kind = '" + std::string(kind) + "'";
    CHECK(Number(db, "SELECT count(*)" + where) == rows["rows"].get<int64_t>());
    CHECK(Number(db, "SELECT sum(duration_ns)" + where) == rows["total_ns"].get<int64_t>());
  }
  if (!expected.contains("gpu")) return;
  CHECK(Number(db,
               "SELECT max(start_ns + duration_ns) - min(start_ns) FROM gpu_op WHERE kind <> "
               "'sync'") == expected["gpu"]["span_ns"].get<int64_t>());
  CHECK(UnionNs(db) == expected["gpu"]["busy_ns"].get<int64_t>());
  CHECK(Number(db,
               "SELECT count(*) FROM (SELECT DISTINCT gpu_id, stream FROM gpu_op WHERE kind = "
               "'kernel')") == expected["streams"].get<int64_t>());
  CHECK(Number(db, "SELECT count(DISTINCT gpu_id) FROM gpu_op WHERE kind = 'kernel'") ==
        static_cast<int64_t>(expected["devices"].size()));
}

void CheckTopKernels(const TraceDb& db, const Json& expected) {
  size_t at = 0;
  REQUIRE(
      db.Query("SELECT name, sum(duration_ns), count(*) FROM gpu_ops WHERE kind = 'kernel' GROUP "
               "BY name ORDER BY 2 DESC, 1 LIMIT 5",
               {},
               [&](const Row& row) {
                 const Json& kernel = expected.at(at++);
                 CHECK(row.Text(0) == kernel["name"].get<std::string>());
                 CHECK(row.Int(1) == kernel["total_ns"].get<int64_t>());
                 CHECK(row.Int(2) == kernel["calls"].get<int64_t>());
               })
          .ok());
  CHECK(at == expected.size());
}

// The reference joins by process where the file says the process.
void CheckCalls(const TraceDb& db, const Json& expected) {
  CHECK(Number(db, "SELECT count(*) FROM api_call") == expected["runtime_calls"].get<int64_t>());
  if (!expected.contains("kernel_runtime_pairs_by_correlation_only")) return;
  const Json by_process = expected["kernel_runtime_pairs_by_correlation_and_process"];
  const int64_t pairs =
      (by_process.is_null() ? expected["kernel_runtime_pairs_by_correlation_only"] : by_process)
          .get<int64_t>();
  CHECK(Number(db,
               "SELECT count(*) FROM gpu_op g JOIN api_calls a ON a.correlation_id = "
               "g.correlation_id AND a.process_id = g.process_id WHERE g.kind = 'kernel'") ==
        pairs);
}

}  // namespace

TEST_CASE("nsys: every real export gives the reference's numbers", "[shared]") {
  const Json reference = NsysReference();
  CHECK(reference.size() >= 12);
  for (const auto& [path, expected] : reference.items()) {
    INFO(path);
    auto imported = Imported(SharedData("nsys-sqlite/" + path));
    INFO((imported.ok() ? "" : imported.error().message));
    REQUIRE(imported.ok());
    const TraceDb& db = imported.value();
    CheckWork(db, expected);
    if (expected.contains("top_kernels")) CheckTopKernels(db, expected["top_kernels"]);
    if (expected.contains("runtime_calls")) CheckCalls(db, expected);
    if (expected.contains("nvtx_events")) {
      CHECK(Number(db, "SELECT count(*) FROM range WHERE category = 'nvtx'") +
                LossCount(db, "nsys_range_open") + LossCount(db, "nsys_nvtx_not_stored") ==
            expected["nvtx_events"].get<int64_t>());
    }
    const Json version = expected.value("product_version", Json());
    if (version.is_string()) {
      CHECK(OneRow(db, "SELECT tool_version FROM capture") ==
            "Nsight Systems " + version.get<std::string>());
    }
  }
}

TEST_CASE("nsys: nothing of a real export is left out without being counted", "[shared]") {
  auto imported = Imported(
      SharedData("nsys-sqlite/pipit-cloverleaf-perlmutter/perlmutter-cloverleaf-cuda.sqlite"));
  REQUIRE(imported.ok());
  const TraceDb& db = imported.value();

  CHECK(Number(db, "SELECT count(*) FROM range WHERE category = 'osrt'") == 1831);
  CHECK(Number(db, "SELECT count(*) FROM range WHERE category = 'overhead'") == 47);
  CHECK(Number(db, "SELECT count(*) FROM sample") + LossCount(db, "nsys_sample_without_stack") ==
        1531);
  CHECK(2 * Number(db, "SELECT count(*) FROM off_cpu") + LossCount(db, "nsys_switch_alone") ==
        1254);
  CHECK(OneRow(db, "SELECT name, sm_count, memory_bytes, compute_capability FROM gpu") ==
        "NVIDIA A100-SXM4-80GB|108|84990623744|8.0");
  CHECK(OneRow(db, "SELECT start_ns / 1000000000 FROM capture") == "1696392839");
  CHECK(Rows(db, "SELECT description FROM loss WHERE name = 'nsys_table_not_stored'").size() == 1);
}
