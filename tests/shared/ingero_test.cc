// SPDX-License-Identifier: Apache-2.0
// Real Ingero recordings: every number here was computed from the files with SQL.
#include <filesystem>
#include <fstream>

#include "collectors/import_file.h"
#include "collectors/sha256.h"
#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"

using namespace gpuwhy;
using Lines = std::vector<std::string>;

namespace {

TraceDb Open(const std::string& name) {
  auto db = Imported(SharedData("ingero-db/" + name));
  REQUIRE(db.ok());
  return std::move(db).value();
}

TraceDb Dataloader() {
  return Open("pytorch-dataloader-starvation.db");
}
TraceDb EmptyCache() {
  return Open("pytorch-173382-empty-cache.db");
}

}  // namespace

TEST_CASE("ingero dataloader: the capture says what machine and which Ingero it was", "[shared]") {
  const TraceDb db = Dataloader();

  CHECK(OneRow(db, "SELECT kind, cpu_count, memory_bytes, is_selective, tool_version, end_ns - start_ns FROM capture") ==
        "ingero|4|16765681664|1|ingero 0.8 (7015028)|76938732255");
  CHECK(OneRow(db, "SELECT facts->>'driver', facts->>'cuda', facts->>'python', facts->>'kernel', facts->>'id_type' FROM capture") ==
        "570.211.01|12.8|3.10.12|5.15.0-173-generic|integer");
  CHECK(OneRow(db, "SELECT name, memory_bytes FROM gpu") == "NVIDIA GeForce RTX 4090|25757220864");
}

TEST_CASE("ingero dataloader: per-operation statistics equal the file's", "[shared]") {
  const TraceDb db = Dataloader();
  const std::string statistics =
      "SELECT name, count(*), sum(duration_ns), min(duration_ns), max(duration_ns), p50(duration_ns), "
      "p95(duration_ns), p99(duration_ns) FROM ";

  CHECK(Rows(db, statistics + "api_calls GROUP BY name ORDER BY name") ==
        Lines{"cuCtxSynchronize|3|X"});
  CHECK(Rows(db, statistics + "(SELECT reason AS name, * FROM off_cpu) GROUP BY name") ==
        Lines{"unknown|3676|X"});
  CHECK(Rows(db, "SELECT kind, count(*) FROM host_event GROUP BY kind ORDER BY kind") == Lines{"fork|11", "thread_exit|5"});
}
