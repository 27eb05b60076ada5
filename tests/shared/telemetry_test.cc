// SPDX-License-Identifier: Apache-2.0
// Every real telemetry file, against values read from its text by hand.
#include <fmt/format.h>

#include "collectors/import_file.h"
#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"

using gpuwhy::ImportFile;
using gpuwhy::LossCount;
using gpuwhy::OneRow;
using gpuwhy::SharedData;
using gpuwhy::TraceDb;

namespace {

TraceDb ImportedTelemetry(const std::string& name) {
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());
  const auto report = ImportFile(db.value(), SharedData("gpu-telemetry/" + name), {});
  INFO(name << ": " << (report.ok() ? "" : report.error().message));
  REQUIRE(report.ok());
  CHECK(report.value().importer == "telemetry");
  return std::move(db).value();
}

// "points series devices"
std::string Counts(const TraceDb& db) {
  return OneRow(db,
                "SELECT (SELECT count(*) FROM counter_value) || ' ' || (SELECT count(*) FROM "
                "counter) || ' ' || (SELECT count(*) FROM gpu)");
}

// The first and the last value of a series.
std::string Ends(const TraceDb& db, std::string_view name, int device_index) {
  const auto end = [&](std::string_view order) {
    return OneRow(db,
                  fmt::format("SELECT value FROM counter_value JOIN counter ON counter.id = "
                              "counter_id JOIN gpu ON gpu.id = gpu_id WHERE counter.name = '{}' "
                              "AND device_index = {} ORDER BY time_ns {} LIMIT 1",
                              name, device_index, order));
  };
  return end("ASC") + " " + end("DESC");
}

int64_t LostCount(const TraceDb& db) {
  return db.QueryInt("SELECT count(*) FROM loss WHERE severity = 'data_loss'").value();
}

}  // namespace

TEST_CASE("telemetry of nanoGPT: eight devices, all rows", "[telemetry][shared]") {
  const TraceDb first = ImportedTelemetry("nanogpt-8gpu-telemetry/gpu_metrics_a.csv.gz");
  const TraceDb second = ImportedTelemetry("nanogpt-8gpu-telemetry/gpu_metrics_b.csv.gz");

  // 5112 and 5856 rows of three values.
  CHECK(Counts(first) == "15336 24 8");
  CHECK(Counts(second) == "17568 24 8");
  CHECK(OneRow(first, "SELECT start_ns, end_ns FROM capture") ==
        "1758685713493000000|1758685871016000000");
  CHECK(Ends(first, "gpu.power_watts", 0).starts_with("387.26 "));
  CHECK(Ends(first, "gpu.power_watts", 7) == "375.69 378.29");
  CHECK(Ends(second, "gpu.temperature_celsius", 6) == "47.0 63.0");
  CHECK(OneRow(first, "SELECT count(*) FROM loss") == "0");
  CHECK(OneRow(second, "SELECT count(*) FROM loss") == "0");
}

TEST_CASE("telemetry of an NVML script: one device", "[telemetry][shared]") {
  const TraceDb db = ImportedTelemetry("roofline-rtx5070-nvml/nvml.csv");

  CHECK(Counts(db) == "1465 5 1");
  CHECK(Ends(db, "gpu.power_watts", 0).starts_with("25.864 "));
  CHECK(Ends(db, "gpu.memory_clock_mhz", 0).starts_with("14001.0 "));
  CHECK(OneRow(db, "SELECT min(time_ns) FROM counter_value") == "1784756505304000000");
  CHECK(LossCount(db, "telemetry_device_not_named") == 1);
  CHECK(LostCount(db) == 0);
}

TEST_CASE("telemetry of nvidia-smi: names, units, missing values", "[telemetry][shared]") {
  const TraceDb one = ImportedTelemetry("virtualclient-nvidia-smi/query-gpu-1xH100.csv");
  const TraceDb eight = ImportedTelemetry("virtualclient-nvidia-smi/query-gpu-8xH100.csv");
  const TraceDb old = ImportedTelemetry("virtualclient-nvidia-smi/query-gpu-1xT4-NA.csv");

  CHECK(Counts(one) == "34 34 1");
  CHECK(Ends(one, "gpu.memory_utilization_pct", 0) == "2.0 2.0");
  CHECK(Ends(one, "gpu.memory_used_bytes", 0) == "3145728.0 3145728.0");
  CHECK(Ends(one, "gpu.power_average_watts", 0) == "70.89 70.89");
  CHECK(Ends(one, "gpu.ecc_errors_uncorrected_aggregate_total_count", 0) == "20.0 20.0");
  CHECK(OneRow(one, "SELECT time_ns FROM counter_value") == "1710511079791000000");
  CHECK(Counts(eight) == "272 272 8");
  CHECK(Ends(eight, "gpu.power_instant_watts", 3) == "71.44 71.44");
  CHECK(OneRow(eight, "SELECT name, memory_bytes FROM gpu WHERE device_index = 7") ==
        "NVIDIA H100 80GB HBM3|85520809984");
  CHECK(Counts(old) == "32 32 1");
  CHECK(LossCount(old, "telemetry_value_missing") == 2);
  CHECK(LostCount(one) + LostCount(eight) + LostCount(old) == 0);
}

TEST_CASE("telemetry of nvidia-smi c2c is refused", "[telemetry][shared]") {
  const auto* const name = GENERATE("query-c2c.txt", "query-c2c-multiple-gpu.txt");
  auto db = TraceDb::CreateInMemory();
  REQUIRE(db.ok());

  const auto report =
      ImportFile(db.value(), SharedData("gpu-telemetry/virtualclient-nvidia-smi/") + name, {});

  REQUIRE(!report.ok());
  CHECK(report.error().message.find("lists the speeds of GPU links at one moment") !=
        std::string::npos);
}

TEST_CASE("telemetry of dcgmi dmon: shares of time without times", "[telemetry][shared]") {
  const TraceDb db = ImportedTelemetry("virtualclient-dcgmi-dmon/DCGMIDmonResults.txt");

  CHECK(Counts(db) == "45 3 1");
  CHECK(OneRow(db,
               "SELECT round(sum(value), 3) FROM counter_value JOIN counter ON id = counter_id "
               "WHERE name = 'gpu.dram_active_ratio'") == "3.603");
  CHECK(OneRow(db, "SELECT max(time_ns) FROM counter_value") == "14000000000");
  CHECK(LossCount(db, "telemetry_time_made_up") == 1);
  CHECK(LostCount(db) == 0);
}

TEST_CASE("telemetry of amd-smi: lists, quoted or not", "[telemetry][shared]") {
  const TraceDb eight = ImportedTelemetry("virtualclient-amd-smi/metric-8xMI300X.csv");
  const TraceDb one = ImportedTelemetry("virtualclient-amd-smi/result.txt");

  CHECK(Counts(eight) == "1088 1088 8");
  CHECK(Ends(eight, "gpu.power_watts", 1) == "139.0 139.0");
  CHECK(Ends(eight, "gpu.energy_joules", 7) == "12193331.537 12193331.537");
  CHECK(Ends(eight, "gpu.memory_used_bytes", 0) == "296747008.0 296747008.0");
  CHECK(Ends(eight, "gpu.jpeg_utilization_31_pct", 2) == "0.0 0.0");
  CHECK(Counts(one) == "6 6 1");
  CHECK(Ends(one, "gpu.utilization_pct", 0) == "98.0 98.0");
  CHECK(Ends(one, "gpu.multimedia_utilization_1_pct", 0) == "0.0 0.0");
  CHECK(LostCount(eight) + LostCount(one) == 0);
}

TEST_CASE("telemetry of captures of several commands: the queries, idle and under load",
          "[telemetry][shared]") {
  const auto [name, model, counts, power] =
      GENERATE(table<std::string, std::string, std::string, std::string>(
          {{"linux-x86_64__nvidia-h100-80gb-hbm3__590.48.01", "NVIDIA H100 80GB HBM3", "176 88 1",
            "69.85 "},
           {"linux-x86_64__nvidia-h200-mig__590.48.01", "NVIDIA H200", "160 80 1", ""},
           {"linux-x86_64__nvidia-h200__590.48.01", "NVIDIA H200", "176 88 1", ""},
           {"linux-x86_64__nvidia-l40s__595.80", "NVIDIA L40S", "176 88 1", ""},
           {"windows-x86_64__nvidia-geforce-rtx-2080-super__610.62",
            "NVIDIA GeForce RTX 2080 SUPER", "102 51 1", ""}}));

  const TraceDb db = ImportedTelemetry("nvidia-gpu-exporter-captures/" + name + ".txt.gz");

  INFO(name);
  CHECK(Counts(db) == counts);
  CHECK(OneRow(db, "SELECT name FROM gpu") == model);
  CHECK(Ends(db, "gpu.power_watts", 0).starts_with(power));
  CHECK(OneRow(db, "SELECT count(DISTINCT time_ns) FROM counter_value") == "2");
  CHECK(LossCount(db, "telemetry_section_not_stored") > 1000);
  CHECK(LostCount(db) == 0);
}
