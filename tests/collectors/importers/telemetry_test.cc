// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/support/imported.h"
#include "tests/support/imported_text.h"

using gpuwhy::Gzip;
using gpuwhy::ImportedText;
using gpuwhy::ImportOptions;
using gpuwhy::ImportText;
using gpuwhy::Rows;

using Lines = std::vector<std::string>;

namespace {

ImportedText Import(std::string_view text) {
  ImportedText trace = ImportText(text, "gpu.csv");
  INFO((trace.report.ok() ? "" : trace.report.error().message));
  REQUIRE(trace.report.ok());
  CHECK(trace.report.value().importer == "telemetry");
  return trace;
}

std::string RefusalOf(std::string_view text) {
  const ImportedText trace = ImportText(text, "gpu.csv");
  REQUIRE(!trace.report.ok());
  CHECK(trace.Int("SELECT count(*) FROM capture") == 0);
  return trace.report.error().message;
}

// name|unit|device|time|value of every point.
Lines Points(const ImportedText& trace) {
  return Rows(
      trace.db,
      "SELECT counter.name, unit, device_index, time_ns, value FROM counter JOIN gpu ON gpu.id = "
      "gpu_id JOIN counter_value ON counter_id = counter.id ORDER BY 1, 3, 4");
}

// name=value of every point, for tables of one row.
std::string Values(const ImportedText& trace) {
  return trace.Text(
      "SELECT group_concat(name || '=' || value, ' ') FROM (SELECT name, value FROM counter JOIN "
      "counter_value ON counter_id = counter.id ORDER BY name)");
}

constexpr std::string_view kNvidiaHeader =
    "timestamp, index, name, uuid, driver_version, pstate, utilization.gpu [%], power.draw [W], "
    "clocks.current.sm [MHz], memory.used [MiB], memory.total [MiB], temperature.gpu\n";

}  // namespace

TEST_CASE("telemetry: nvidia-smi's values lose their units and get those of the schema",
          "[telemetry]") {
  const ImportedText trace = Import(std::string(kNvidiaHeader) +
                                    "2024/03/01 12:34:56.789, 1, NVIDIA H100, GPU-aa, 535.1, P8, "
                                    "35 %, 70.12 W, 1410 MHz, 40960 MiB, 81559 MiB, 26\n");

  CHECK(Points(trace) == Lines{"gpu.memory_total_bytes|bytes|1|1709296496789000000|85520809984.0",
                               "gpu.memory_used_bytes|bytes|1|1709296496789000000|42949672960.0",
                               "gpu.performance_state_count|count|1|1709296496789000000|8.0",
                               "gpu.power_watts|watts|1|1709296496789000000|70.12",
                               "gpu.sm_clock_mhz|mhz|1|1709296496789000000|1410.0",
                               "gpu.temperature_celsius|celsius|1|1709296496789000000|26.0",
                               "gpu.utilization_pct|pct|1|1709296496789000000|35.0"});
  CHECK(Rows(trace.db, "SELECT device_index, uuid, name, memory_bytes FROM gpu") ==
        Lines{"1|GPU-aa|NVIDIA H100|85520809984"});
  CHECK(Rows(trace.db,
             "SELECT kind, tool_version, facts, start_ns = 1709296496789000000 FROM capture") ==
        Lines{R"(telemetry|nvidia-smi --query-gpu|{"driver":"535.1"}|1)"});
  CHECK(trace.Loss("telemetry_time_without_zone") == 1);
}

TEST_CASE("telemetry: without units in the rows the header's count, and it may come again",
          "[telemetry]") {
  const std::string header = "timestamp, index, power.draw [W], memory.used [MiB]\n";
  const ImportedText trace =
      Import(header + "2024/03/01 12:34:56.000, 0, 70.5, 2\n" + header +
             "2024/03/01 12:34:57.000, 0, 71.5, 3\r\n" + "\n" +
             "timestamp, index, temperature.gpu\n2024/03/01 12:34:58.000, 0, 30\n");

  CHECK(Points(trace) == Lines{"gpu.memory_used_bytes|bytes|0|1709296496000000000|2097152.0",
                               "gpu.memory_used_bytes|bytes|0|1709296497000000000|3145728.0",
                               "gpu.power_watts|watts|0|1709296496000000000|70.5",
                               "gpu.power_watts|watts|0|1709296497000000000|71.5",
                               "gpu.temperature_celsius|celsius|0|1709296498000000000|30.0"});
  CHECK(trace.Int("SELECT count(*) FROM loss") == 1);  // the zone
}

TEST_CASE("telemetry: a table without a header keeps what its values say", "[telemetry]") {
  const ImportedText trace = Import(
      "2024/03/01 12:34:56.789, GPU-aa, 35 %, 70.12 W, 7\n"
      "2024/03/01 12:34:56.790, GPU-bb, 36 %, [N/A], 8\n");

  CHECK(Points(trace) == Lines{"gpu.column_3_pct|pct|0|1709296496789000000|35.0",
                               "gpu.column_3_pct|pct|1|1709296496790000000|36.0",
                               "gpu.column_4_watts|watts|0|1709296496789000000|70.12",
                               "gpu.column_5_count|count|0|1709296496789000000|7.0",
                               "gpu.column_5_count|count|1|1709296496790000000|8.0"});
  CHECK(trace.Loss("telemetry_header_missing") == 1);
  CHECK(trace.Loss("telemetry_value_missing") == 1);
}

TEST_CASE("telemetry: cells without a value are counted and give no point", "[telemetry]") {
  const std::string missing =
      GENERATE(std::string("N/A"), "[N/A]", "[Not Supported]", "[Unknown Error]", "ERR!", "", "nan",
               "[Requested functionality has been deprecated]");

  const ImportedText trace = Import(
      "timestamp, index, power.draw [W], utilization.gpu [%]\n"
      "2024/03/01 12:34:56.000, 0, " +
      missing + ", 5 %\n");

  INFO(missing);
  CHECK(Values(trace) == "gpu.utilization_pct=5.0");
  CHECK(trace.Loss("telemetry_value_missing") == 1);
}

TEST_CASE("telemetry: what is no number of the column's unit is skipped and counted",
          "[telemetry]") {
  const std::string bad =
      GENERATE(std::string("seven"), "1e999", "inf", "70 MHz", "70 bananas", "0x10", "7 0");

  const ImportedText trace = Import(
      "timestamp, index, power.draw [W], utilization.gpu [%]\n"
      "2024/03/01 12:34:56.000, 0, " +
      bad + ", 5 %\n");

  INFO(bad);
  CHECK(Values(trace) == "gpu.utilization_pct=5.0");
  CHECK(trace.Loss("telemetry_value_unreadable") == 1);
}

TEST_CASE("telemetry: a number that its unit makes infinite is skipped", "[telemetry]") {
  const ImportedText trace =
      Import("timestamp,memory_used_gib,power_w\n2024-03-01T12:34:56Z,1e308,7\n");

  CHECK(Values(trace) == "gpu.power_watts=7.0");
  CHECK(trace.Loss("telemetry_value_unreadable") == 1);
  CHECK(trace.Loss("telemetry_same_time") == 0);
}

TEST_CASE("telemetry: throttle reasons are 1 while they are active", "[telemetry]") {
  const ImportedText trace = Import(
      "timestamp, index, clocks_event_reasons.active, clocks_throttle_reasons.sw_power_cap, "
      "clocks_event_reasons.hw_slowdown, clocks_event_reasons_counters.sw_power_cap [us]\n"
      "2024/03/01 12:34:56.000, 0, 0x0000000000000004, Active, Not Active, 12 us\n");

  CHECK(Values(trace) ==
        "gpu.clocks_event_reasons_count=4.0 "
        "gpu.clocks_event_reasons_counters_sw_power_cap_ns=12000.0 "
        "gpu.clocks_event_reasons_hw_slowdown_count=0.0 "
        "gpu.clocks_event_reasons_sw_power_cap_count=1.0");
}

TEST_CASE("telemetry: unknown columns keep their names, words are counted", "[telemetry]") {
  const ImportedText trace = Import(
      "timestamp,gpu_index,utilization_gpu_percent,\"Weird, column!\",flux_mhz,mood,gpu_count\n"
      "2025-09-24T03:48:33.493Z,3, 100, 4.5, 7, happy, 8\n");

  CHECK(Values(trace) ==
        "gpu.flux_mhz=7.0 gpu.gpu_count=8.0 gpu.utilization_pct=100.0 gpu.weird_column_count=4.5");
  CHECK(trace.Int("SELECT device_index FROM gpu") == 3);
  CHECK(trace.Loss("telemetry_column_unknown") == 1);
  CHECK(trace.Loss("telemetry_text_not_stored") == 1);
  CHECK(trace.Loss("telemetry_time_without_zone") == 0);
}

TEST_CASE("telemetry: two columns of one meaning both stay", "[telemetry]") {
  const ImportedText trace = Import(
      "timestamp, index, clocks.sm [MHz], clocks.current.sm [MHz]\n"
      "2024/03/01 12:34:56.000, 0, 100 MHz, 200 MHz\n");

  CHECK(Values(trace) == "gpu.clocks_current_sm_mhz=200.0 gpu.sm_clock_mhz=100.0");
}

TEST_CASE("telemetry: dmon's table is read with its units, and its times where it has them",
          "[telemetry]") {
  const ImportedText trace = Import(
      "#Date       Time        gpu    pwr  gtemp  mtemp     sm   mclk     fb\n"
      "#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %    MHz     MB\n"
      " 20240301   12:34:56      0     69     41      -      3   2619      2\n"
      " 20240301   12:34:56      1     70     42     48      4   2619      0\n"
      "#Date       Time        gpu    pwr  gtemp  mtemp     sm   mclk     fb\n"
      "#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %    MHz     MB\n"
      " 20240301   12:34:57      0     71     41      -      3   2619      2\n");

  CHECK(trace.Int("SELECT count(*) FROM counter_value") == 16);
  CHECK(Rows(trace.db,
             "SELECT name, unit, max(value) FROM counter JOIN counter_value ON "
             "counter_id = counter.id GROUP BY 1 ORDER BY 1") ==
        Lines{"gpu.memory_clock_mhz|mhz|2619.0", "gpu.memory_temperature_celsius|celsius|48.0",
              "gpu.memory_used_bytes|bytes|2097152.0", "gpu.power_watts|watts|71.0",
              "gpu.temperature_celsius|celsius|42.0", "gpu.utilization_pct|pct|4.0"});
  CHECK(trace.Text("SELECT min(time_ns) || '-' || max(time_ns) FROM counter_value") ==
        "1709296496000000000-1709296497000000000");
  CHECK(trace.Text("SELECT tool_version FROM capture") == "nvidia-smi dmon");
  CHECK(trace.Loss("telemetry_value_missing") == 2);
  CHECK(trace.Loss("telemetry_time_made_up") == 0);
}

TEST_CASE("telemetry: dmon with commas, and times without a date over midnight", "[telemetry]") {
  const ImportedText trace =
      Import("#Time, gpu, pwr\n#HH:MM:SS, Idx, W\n23:59:59, 0, 69\n00:00:01, 0, 70\n");

  CHECK(Points(trace) == Lines{"gpu.power_watts|watts|0|86399000000000|69.0",
                               "gpu.power_watts|watts|0|86401000000000|70.0"});
  CHECK(trace.Loss("telemetry_time_without_date") == 1);
}

TEST_CASE("telemetry: a table without times is placed a second apart, and says so", "[telemetry]") {
  const ImportedText trace = Import(
      "#Entity   GRACT        PCITX       TMPTR  XYZZY\n"
      "ID                                C\n"
      "GPU 0     0.170        1000        40     1\n"
      "GPU 1     0.500        N/A         41     2\n"
      "GPU-I 7   0.500        1           41     2\n"
      "GPU 0     0.998        2000        42     3\n");

  CHECK(Points(trace) ==
        Lines{"gpu.graphics_active_ratio|ratio|0|0|0.17",
              "gpu.graphics_active_ratio|ratio|0|1000000000|0.998",
              "gpu.graphics_active_ratio|ratio|1|0|0.5",
              "gpu.pcie_transmit_bytes_per_second|bytes_per_second|0|0|1000.0",
              "gpu.pcie_transmit_bytes_per_second|bytes_per_second|0|1000000000|2000.0",
              "gpu.temperature_celsius|celsius|0|0|40.0",
              "gpu.temperature_celsius|celsius|0|1000000000|42.0",
              "gpu.temperature_celsius|celsius|1|0|41.0", "gpu.xyzzy_count|count|0|0|1.0",
              "gpu.xyzzy_count|count|0|1000000000|3.0", "gpu.xyzzy_count|count|1|0|2.0"});
  CHECK(trace.Loss("telemetry_time_made_up") == 1);
  CHECK(trace.Loss("telemetry_row_of_other_entity") == 1);
  CHECK(trace.Text("SELECT severity FROM loss WHERE name = 'telemetry_time_made_up'") == "info");
}

TEST_CASE("telemetry: amd-smi's lists become a series per element, quoted or not", "[telemetry]") {
  const ImportedText trace = Import(
      "\xEF\xBB\xBFgpu,gfx_activity,vcn_activity,mm_usage_list,socket_power,gfx_0_clk,"
      "total_vram,perf_level\n"
      "0,98,\"[3, N/A]\",[5, 6],133,132,2,AUTO\n");

  CHECK(Values(trace) ==
        "gpu.gfx_0_clk_mhz=132.0 gpu.memory_total_bytes=2097152.0 "
        "gpu.multimedia_utilization_0_pct=5.0 gpu.multimedia_utilization_1_pct=6.0 "
        "gpu.power_watts=133.0 gpu.utilization_pct=98.0 gpu.vcn_utilization_0_pct=3.0");
  CHECK(trace.Loss("telemetry_value_missing") == 1);
  CHECK(trace.Text("SELECT tool_version FROM capture") == "amd-smi");
}

TEST_CASE("telemetry: times are exact, whatever their form", "[telemetry]") {
  const auto [text, time_ns] = GENERATE(
      table<std::string, int64_t>({{"2024-03-01T12:34:56.789Z", 1709296496789000000},
                                   {"2024-03-01T14:34:56.789123456+02:00", 1709296496789123456},
                                   {"2024-03-01 07:04:56-0530", 1709296496000000000},
                                   {"2024-03-01 12:34:56.789", 1709296496789000000},
                                   {"1709296496", 1709296496000000000},
                                   {"1709296496.789123456", 1709296496789123456},
                                   {"1709296496789", 1709296496789000000},
                                   {"1709296496789123", 1709296496789123000},
                                   {"1709296496789123456", 1709296496789123456},
                                   {"12.5", 12500000000}}));

  const ImportedText trace = Import("timestamp,power_w\n" + text + ",7\n");

  INFO(text);
  CHECK(trace.Int("SELECT time_ns FROM counter_value") == time_ns);
}

TEST_CASE("telemetry: rows without a readable time are counted", "[telemetry]") {
  const std::string text =
      GENERATE(std::string("2024-13-01T12:34:56Z"), "2024-03-01T25:00:00Z", "", "N/A", "1e9",
               "99999999999999999999", "9223372036854775807.5 x", "-5", "1969-01-01T00:00:00Z",
               "2300-01-01T00:00:00Z", "2024-03-01T12:34:56+99:99", "2024-03-01");

  const ImportedText trace = Import("timestamp,power_w\n" + text + ",7\n2024-03-01T12:34:56Z,8\n");

  INFO(text);
  CHECK(trace.Int("SELECT count(*) FROM counter_value") == 1);
  CHECK(trace.Loss("telemetry_row_without_time") == 1);
}

TEST_CASE("telemetry: a unit in the name of the time column is believed", "[telemetry]") {
  const ImportedText trace = Import("timestamp_ns,power_mw\n1500,7000\n");

  CHECK(Points(trace) == Lines{"gpu.power_watts|watts|0|1500|7.0"});
  CHECK(trace.Loss("telemetry_time_relative") == 1);
  CHECK(trace.Loss("telemetry_device_not_named") == 1);
}

TEST_CASE("telemetry: of two values of one time the last stays, and the other is counted",
          "[telemetry]") {
  const ImportedText trace = Import(
      "timestamp,gpu_index,power_w\n2024-03-01T12:34:56Z,0,7\n2024-03-01T12:34:57Z,0,8\n"
      "2024-03-01T12:34:56Z,1,9\n2024-03-01T12:34:56Z,0,10\n");

  CHECK(Rows(trace.db, "SELECT value FROM counter_value ORDER BY counter_id, time_ns") ==
        Lines{"10.0", "8.0", "9.0"});
  CHECK(trace.Loss("telemetry_same_time") == 1);
}

TEST_CASE("telemetry: rows of another length, other hosts and foreign lines are counted",
          "[telemetry]") {
  const ImportedText trace = Import(
      "warning: persistence mode is off\n"
      "timestamp,hostname,gpu_index,power_w\n"
      "2024-03-01T12:34:56Z,a,0,7,\n"
      "2024-03-01T12:34:56Z,b,0,8\n"
      "Terminated\n"
      "2024-03-01T12:34:57Z,\"a,0,9\n"
      "# a remark\n"
      "2024-03-01T12:34:57Z,a,0");

  CHECK(Values(trace) == "gpu.power_watts=7.0");
  CHECK(trace.Text("SELECT host FROM capture") == "a");
  CHECK(trace.Loss("telemetry_line_not_read") == 1);
  CHECK(trace.Loss("telemetry_row_of_other_host") == 1);
  CHECK(trace.Loss("telemetry_row_of_other_length") == 3);
  CHECK(trace.Loss("telemetry_comment_not_stored") == 1);
}

TEST_CASE("telemetry: of a capture only the queries of devices are read", "[telemetry]") {
  const ImportedText trace = Import(
      "####\n# some capture\n####\ncollected_at: today\n"
      "####\n# idle :: dmon\n# $ nvidia-smi dmon -c 5\n####\n# gpu    pwr\n# Idx      W\n"
      "    0     69\n\n"
      "####\n# idle :: query\n# $ nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv\n"
      "####\ntimestamp, index, power.draw [W]\n2024/03/01 12:34:56.000, 0, 70.00 W\n"
      "####\n# list :: fields\n####\nindex\n"
      "####\n# load :: query\n# $ nvidia-smi --query-gpu=timestamp,index,power.draw "
      "--format=csv,noheader,nounits\n####\n2024/03/01 12:34:57.000, 0, 300\n");

  CHECK(Points(trace) == Lines{"gpu.power_watts|watts|0|1709296496000000000|70.0",
                               "gpu.power_watts|watts|0|1709296497000000000|300.0"});
  CHECK(trace.Loss("telemetry_section_not_stored") == 6);
}

TEST_CASE("telemetry: files without series are refused in one sentence", "[telemetry]") {
  CHECK(RefusalOf("GPU 0: NVIDIA GH200 (UUID: GPU-8d)\n         C2C Link 0: 44.712 GB/s\n")
            .find("lists the speeds of GPU links at one moment") != std::string::npos);
  CHECK(RefusalOf("GPU 0: NVIDIA GH200 (UUID: GPU-8d)\n").find("is a list of GPUs") !=
        std::string::npos);
  CHECK(RefusalOf("Tue Jul 14 08:12:53 2026\n+----+\n| NVIDIA-SMI 590.48 |\n")
            .find("is a report about one moment") != std::string::npos);
  CHECK(RefusalOf("timestamp, index, power.draw [W]\n").find("no row with a value") !=
        std::string::npos);
  CHECK(
      RefusalOf("timestamp, index, power.draw [W]\n2024/03/01 12:34:56.789, 0\n")
          .find("no row with a value (1 telemetry_row_of_other_length: rows have more or fewer") !=
      std::string::npos);
  CHECK(RefusalOf("# gpu   pid  type  sm\n# Idx  #  C/G  %\n  0  77  C  5\n")
            .find("is a table of processes") != std::string::npos);
  CHECK(RefusalOf("# $ nvidia-smi -L\nGPU 0: H100\n").find("output of several commands") !=
        std::string::npos);
}

TEST_CASE("telemetry: other tables are not taken for telemetry", "[telemetry]") {
  const std::string text =
      GENERATE(std::string("Time (%),Total Time (ns),Instances,Name\n1,2,3,k\n"),
               "timestamp,user,amount\n2024-03-01T12:34:56Z,ann,5\n", "2024-03-01T12:34:56Z,1,5\n",
               "user,when\n2024/03/01 12:34:56,5 %\n",
               "timestamp,speed [%],way.length [MB]\n2024-03-01T12:34:56Z,1,5\n",
               "\"ID\",\"Process ID\",\"Kernel Name\"\n\"0\",\"1\",\"k\"\n",
               "2024-03-01 12:34:56,789 - INFO - started\n", "hello\n");

  INFO(text);
  CHECK(RefusalOf(text).find("in no format that gpuwhy reads") != std::string::npos);
}

TEST_CASE("telemetry: gzip is read, and a cut one up to its end", "[telemetry]") {
  std::string text = "timestamp,gpu_index,power_w\n";
  for (int i = 0; i < 20000; ++i)
    text += fmt::format("{},0,{}\n", 1709296496 + i, i * 7919 % 500);
  const std::string gzip = Gzip(text);

  CHECK(Import(gzip).Int("SELECT count(*) FROM counter_value") == 20000);
  const ImportedText cut = Import(gzip.substr(0, gzip.size() / 2));
  CHECK(cut.Int("SELECT count(*) FROM counter_value") > 5000);
  CHECK(cut.Loss("telemetry_file_damaged") == 1);
}

TEST_CASE("telemetry: what a hostile file makes up stays bounded", "[telemetry]") {
  std::string text = "timestamp,gpu_index,power_w,list\n2024-03-01T12:34:56Z,0,1,1\n";
  text += std::string((1 << 20) + 1, 'x') + "\n";
  for (int i = 0; i < 300; ++i)
    text += fmt::format("2024-03-01T12:34:56Z,{},1,1\n", i);
  text += "2024-03-01T12:34:57Z,0,1,[";
  for (int i = 0; i < 100; ++i)
    text += "1,";
  text += "1]\n" + std::string(5000, ',') + "\n\"\n[[[[,]]]]\n";

  const ImportedText trace = Import(text);

  CHECK(trace.Loss("telemetry_line_too_long") == 1);
  CHECK(trace.Int("SELECT count(*) FROM gpu") == 256);
  CHECK(trace.Loss("telemetry_too_many_series") == 44 + 37);
  CHECK(trace.Loss("telemetry_row_of_other_length") == 3);
}

TEST_CASE("telemetry: a stop ends the import and leaves nothing", "[telemetry]") {
  std::stop_source stop;
  ImportOptions options{.stop = stop.get_token()};
  options.progress = [&](uint64_t, uint64_t) { stop.request_stop(); };
  std::string text = "timestamp,power_w\n";
  for (int i = 0; i < 1000; ++i)
    text += fmt::format("{},1\n", 1709296496 + i);

  const ImportedText trace = ImportText(text, "gpu.csv", options);

  REQUIRE(!trace.report.ok());
  CHECK(trace.report.error().code == gpuwhy::ErrorCode::kCancelled);
  CHECK(trace.Int("SELECT count(*) FROM counter") == 0);
}
