// SPDX-License-Identifier: Apache-2.0
// Every real Kineto trace, against numbers computed from the JSON by independent means
// (reference.json) or checked when the file was collected (INDEX.tsv).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "collectors/import_file.h"
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/shared_data.h"

using gpuwhy::ImportFile;
using gpuwhy::SharedData;
using gpuwhy::TraceDb;
using Json = nlohmann::json;

namespace {

TraceDb Import(const std::string& relative_path) {
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  const auto report = ImportFile(db.value(), SharedData(relative_path), {});
  INFO((report.ok() ? "" : report.error().message));
  REQUIRE(report.ok());
  return std::move(db).value();
}

// The reference keeps microseconds with three decimals.
int64_t Ns(const Json& us) {
  return std::llround(us.get<double>() * 1000);
}

int64_t Int(const TraceDb& db, std::string_view sql) {
  const auto value = db.QueryInt(sql);
  REQUIRE(value.ok());
  return value.value();
}

int64_t BusyNs(const TraceDb& db) {
  int64_t busy_ns = 0;
  int64_t covered_until_ns = INT64_MIN;
  REQUIRE(db.Query("SELECT start_ns, start_ns + duration_ns FROM gpu_op WHERE kind <> 'sync' "
                   "ORDER BY start_ns",
                   {},
                   [&](const gpuwhy::Row& row) {
                     const int64_t from_ns = std::max(row.Int(0), covered_until_ns);
                     busy_ns += std::max<int64_t>(row.Int(1) - from_ns, 0);
                     covered_until_ns = std::max(covered_until_ns, row.Int(1));
                   })
              .ok());
  return busy_ns;
}

void CheckBreakdown(const TraceDb& db, const Json& expected) {
  const int64_t span_ns = Int(db,
                              "SELECT max(start_ns + duration_ns) - min(start_ns) FROM gpu_op "
                              "WHERE kind <> 'sync'");
  CHECK(Int(db, "SELECT count(*) FROM gpu_op WHERE kind <> 'sync'") == expected["gpu_activities"]);
  CHECK(span_ns == Ns(expected["span_us"]));
  CHECK(BusyNs(db) == Ns(expected["busy_us"]));
  CHECK(span_ns - BusyNs(db) == Ns(expected["idle_us"]));
}

void CheckKernels(const TraceDb& db, const Json& rank) {
  const Json& kernels = rank["kernels"];
  CHECK(Int(db, "SELECT count(*) FROM gpu_op WHERE kind = 'kernel'") == kernels["count"]);
  CHECK(Int(db, "SELECT count(DISTINCT name_id) FROM gpu_op WHERE kind = 'kernel'") ==
        kernels["distinct_names"]);
  CHECK(Int(db, "SELECT sum(duration_ns) FROM gpu_op WHERE kind = 'kernel'") ==
        Ns(kernels["total_us"]));
  size_t at = 0;
  REQUIRE(db.Query("SELECT name, sum(duration_ns), count(*), max(duration_ns) FROM gpu_ops "
                   "WHERE kind = 'kernel' GROUP BY name ORDER BY 2 DESC, 1 LIMIT 10",
                   {},
                   [&](const gpuwhy::Row& row) {
                     const Json& expected = rank["top_kernels"].at(at++);
                     CHECK(row.Text(0) == expected["name"].get<std::string>());
                     CHECK(row.Int(1) == Ns(expected["total_us"]));
                     CHECK(row.Int(2) == expected["calls"]);
                     CHECK(row.Int(3) == Ns(expected["max_us"]));
                   })
              .ok());
  CHECK(at == rank["top_kernels"].size());
}

void CheckLaunches(const TraceDb& db, const Json& rank) {
  for (const auto& [name, count] : rank["runtime_calls"].items()) {
    const auto found =
        db.QueryInt("SELECT count(*) FROM api_calls WHERE name = ?", {std::string_view(name)});
    INFO(name);
    CHECK(found.value() == count.get<int64_t>());
  }
  const Json& launch = rank["launch"];
  CHECK(Int(db, "SELECT count(*) FROM api_calls WHERE name LIKE '%LaunchKernel%'") ==
        launch["launches"]);
  CHECK(Int(db,
            "SELECT count(*) FROM api_calls c JOIN gpu_op o ON o.correlation_id = c.correlation_id "
            "AND o.process_id = c.process_id AND o.kind = 'kernel' "
            "WHERE c.name LIKE '%LaunchKernel%' AND c.correlation_id NOT IN (-1, 0)") ==
        launch["pairs"]);
  CHECK(Int(db,
            "SELECT count(*) FROM gpu_op o WHERE kind = 'kernel' AND NOT EXISTS (SELECT 1 "
            "FROM api_call c WHERE c.correlation_id = o.correlation_id)") ==
        launch["kernels_without_any_runtime_record"]);
}

void CheckJob(const TraceDb& db, const Json& rank) {
  const Json& job = rank["distributedInfo"];
  if (!job.is_object() || !job.contains("rank")) return;
  CHECK(Int(db, "SELECT rank FROM capture") == job["rank"]);
  CHECK(Int(db, "SELECT count(*) FROM process WHERE rank IS NULL") == 0);
  if (job.contains("world_size")) {
    CHECK(Int(db, "SELECT world_size FROM capture") == job["world_size"]);
  }
}

// Steps and what the device did in them, against the reference's list.
void CheckSteps(const TraceDb& db, const Json& expected) {
  const auto answer = gpuwhy::RunToolOn(db, "get_step_breakdown", {{"limit", 1000}});
  INFO((answer.ok() ? "" : answer.error().message));
  REQUIRE(answer.ok());
  const Json steps = Json::parse(RenderJson(answer.value()))["steps"];
  REQUIRE(steps.size() == expected["count"].get<size_t>());
  for (size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i]["step"] == expected["steps"][i]["name"]);
    CHECK(steps[i]["duration_ns"] == Ns(expected["steps"][i]["dur_us"]));
    int64_t phases_ns = 0;
    for (const char* phase : {"data_loading_ns", "device_wait_ns", "optimizer_ns", "backward_ns",
                              "forward_ns", "other_ns"})
      phases_ns += steps[i][phase].get<int64_t>();
    CHECK(phases_ns == steps[i]["duration_ns"]);
  }
}

// A file that is not what the index describes says nothing about us.
bool IsAsIndexed(const std::string& path, const std::string& size_bytes) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(SharedData(path), failure);
  if (!failure && std::to_string(size) == size_bytes) return true;
  WARN("not checked: " << path << " is not the file of the index (" << size_bytes << " bytes)");
  return false;
}

struct IndexedFile {
  std::string path;
  std::string facts;
};

std::vector<IndexedFile> Indexed(const std::string& kind) {
  std::vector<IndexedFile> files;
  std::ifstream index(SharedData("INDEX.tsv"));
  for (std::string line; std::getline(index, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');)
      cells.push_back(cell);
    if (cells.size() < 7 || cells[1] != kind || !IsAsIndexed(cells[0], cells[2])) continue;
    files.push_back({cells[0], cells[6]});
  }
  return files;
}

// "events=9452 X=6813 ..." -> the number behind `key`.
int64_t Fact(const std::string& facts, const std::string& key) {
  const size_t at = (" " + facts).find(" " + key + "=");
  REQUIRE(at != std::string::npos);
  return std::strtoll(facts.c_str() + at + key.size() + 1, nullptr, 10);
}

}  // namespace

TEST_CASE("kineto: every trace of the reference gives the reference's numbers", "[shared]") {
  std::ifstream file(SharedData("reference.json"));
  const Json reference = Json::parse(file);
  for (const auto& [name, set] : reference["sets"].items()) {
    for (const Json& rank : set["ranks"]) {
      INFO(rank["file"]);
      const TraceDb db = Import(rank["file"]);
      CheckBreakdown(db, rank["breakdown"]);
      CheckKernels(db, rank);
      CheckLaunches(db, rank);
      CheckJob(db, rank);
      CheckSteps(db, rank["profiler_steps"]);
    }
  }
}

TEST_CASE("kineto: every event of every collected trace is stored or counted", "[shared]") {
  const auto files = Indexed("kineto");
  CHECK(files.size() >= 60);
  for (const IndexedFile& file : files) {
    INFO(file.path);
    const TraceDb db = Import(file.path);
    CHECK(Int(db, "SELECT coalesce(json_extract(facts, '$.event_counts.X'), 0) FROM capture") ==
          Fact(file.facts, "X"));
    CHECK(Int(db,
              "SELECT sum(value) FROM capture, json_each(json_extract(facts, '$.event_counts'))") ==
          Fact(file.facts, "events"));
    // The index counts CUDA and ROCm work; MTIA's comes on top here.
    if (file.path.find("mtia") == std::string::npos) {
      CHECK(Int(db, "SELECT count(*) FROM gpu_op WHERE kind <> 'sync'") ==
            Fact(file.facts, "gpu_activities"));
    }
    CHECK(Int(db, "SELECT count(*) FROM loss WHERE severity = 'data_loss'") == 0);
    CHECK(Int(db,
              "SELECT (SELECT count(*) FROM api_call) + (SELECT count(*) FROM gpu_op) + "
              "(SELECT count(*) FROM range) - (SELECT sum(event_count) FROM latency)") == 0);
  }
}

TEST_CASE("kineto: quoted fragments of public bug reports are mended, counted or refused",
          "[shared]") {
  struct Expected {
    std::string_view file;
    int64_t stored;      // rows and counter values; -1: refused
    int64_t repaired;    // events
    int64_t lost_kinds;  // kinds of data_loss
  };
  const auto expected = GENERATE(values<Expected>({
      {"bluepill-437-nan-and-string-ts.json", 0, 0, 2},
      {"hta-107-no-distributed-info-p100.json", 1, 0, 0},
      {"kineto-1459-unescaped-quotes-in-name.json", 3, 1, 0},
      {"nccl-example-profiler-unquoted-values.json", 1, 0, 2},
      {"not-perf-22-leading-comma.json", 0, 0, 2},
      {"pytorch-130622-raw-control-characters.json", 2, 1, 0},
      {"pytorch-188481-zero-timestamps.json", 1, 0, 1},
      {"speedscope-402-trailing-comma-instant-stack.json", 1, 0, 0},
      {"trace-viewer-119-trailing-comma.json", -1, 0, 0},
  }));
  const std::string path = "edge-cases/" + std::string(expected.file);
  INFO(path);
  const auto intact = Indexed("edge-cases");
  if (std::none_of(intact.begin(), intact.end(),
                   [&](const IndexedFile& file) { return file.path == path; })) {
    return;
  }
  auto db = TraceDb::CreateInMemory();
  const auto report = ImportFile(db.value(), SharedData(path), {});

  REQUIRE(report.ok() == (expected.stored >= 0));
  if (!report.ok()) return;
  CHECK(Int(db.value(),
            "SELECT (SELECT count(*) FROM api_call) + (SELECT count(*) FROM gpu_op) + (SELECT "
            "count(*) FROM range) + (SELECT count(*) FROM counter_value)") == expected.stored);
  CHECK(Int(db.value(), "SELECT sum(event_count) FROM loss WHERE severity = 'repaired'") ==
        expected.repaired);
  CHECK(Int(db.value(), "SELECT count(*) FROM loss WHERE severity = 'data_loss'") ==
        expected.lost_kinds);
}

TEST_CASE("kineto: traces of other producers are imported or refused with one sentence",
          "[shared]") {
  const auto files = Indexed("chrome-trace");
  CHECK(files.size() >= 50);
  int refused_count = 0;
  for (const IndexedFile& file : files) {
    INFO(file.path);
    auto db = TraceDb::CreateInMemory();
    const auto report = ImportFile(db.value(), SharedData(file.path), {});
    if (!report.ok()) {
      ++refused_count;
      CHECK(report.error().message.find('\n') == std::string::npos);
      CHECK(Int(db.value(), "SELECT count(*) FROM capture") == 0);
      continue;
    }
    // Cut files have no event count in the index.
    if (file.facts.find("events=") == std::string::npos) continue;
    CHECK(Int(db.value(),
              "SELECT sum(value) FROM capture, json_each(json_extract(facts, '$.event_counts'))") ==
          Fact(file.facts, "events"));
  }
  // Two ftrace texts, two speedscope profiles, a Cloud Trace export and a zip file.
  CHECK(refused_count == 6);
}
