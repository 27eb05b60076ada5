// SPDX-License-Identifier: Apache-2.0
// tools_bench [million rows, default 10]: writes a generated trace (see generated_trace.h) and
// prints the rate beside a bare SQLite insert loop; then what each tool takes on it with its
// default arguments, beside one scan of the four large tables: the first call of a session, which
// loads the rows, and the calls that follow (median of 3).
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "server/tool_call.h"
#include "tests/bench/generated_trace.h"
#include "tests/support/temp_dir.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRounds = 3;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

template <typename Function>
double MedianMilliseconds(const Function& function) {
  std::array<double, kRounds> times{};
  for (double& time : times) {
    const auto start = Clock::now();
    function();
    time = MillisecondsSince(start);
  }
  std::sort(times.begin(), times.end());
  return times[kRounds / 2];
}

void PrintWriting(const gpuwhy::bench::GeneratedTrace& trace, double bare_rate) {
  const double rows = static_cast<double>(trace.row_count);
  const double rate = rows / trace.insert_seconds;
  fmt::print(
      "rows written: {:.1f} M in {:.1f} s, {:.2f} M/s (budget 1 M/s); bare SQLite {:.2f} M/s, "
      "ratio {:.2f}\n",
      rows / 1e6, trace.insert_seconds, rate / 1e6, bare_rate / 1e6, bare_rate / rate);
  fmt::print("indexes: {:.1f} s; with them {:.1f} bytes a row (budget 40 without)\n",
             trace.index_seconds, static_cast<double>(trace.size_bytes) / rows);
}

double ScanMilliseconds(const std::string& path) {
  const auto db = gpuwhy::TraceDb::OpenReadOnly(path);
  if (!db.ok()) return 0;
  return MedianMilliseconds([&] {
    for (const char* table : {"api_call", "gpu_op", "range", "off_cpu"}) {
      const std::string sql = fmt::format("SELECT count(*), sum(duration_ns) FROM {}", table);
      if (!db.value().QueryInt(sql).ok()) std::puts("the scan failed");
    }
  });
}

// Budgets of a trace of ten million rows, in ms; 0 = none is set.
int BudgetOf(std::string_view tool) {
  for (const std::string_view cheap :
       {"get_trace_overview", "get_trace_stats", "get_per_process_breakdown"}) {
    if (tool == cheap) return 50;
  }
  for (const std::string_view heavy :
       {"get_gpu_idle_causes", "get_findings", "get_causal_chains"}) {
    if (tool == heavy) return 1000;
  }
  return 0;
}

double CallMilliseconds(const gpuwhy::Tool& tool, gpuwhy::TraceSet& traces) {
  gpuwhy::Json arguments = gpuwhy::Json::object();
  if (tool.name == "run_sql") arguments["sql"] = "SELECT count(*) FROM gpu_op";
  const auto start = Clock::now();
  const auto answer = gpuwhy::RunTool(tool, traces, {.arguments = arguments});
  const double ms = MillisecondsSince(start);
  if (!answer.ok()) fmt::print("{}: {}\n", tool.name, answer.error().message);
  return ms;
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

void MeasureTools(const std::string& path) {
  const double floor_ms = ScanMilliseconds(path);
  constexpr auto kLine = "{:<28}{:>10}{:>10}{:>8}{:>12}\n";
  const auto number = [](double value, int digits) {
    return fmt::format("{:.{}f}", value, digits);
  };
  fmt::print(kLine, "tool", "budget ms", "first ms", "scans", "then ms");
  fmt::print(kLine, "one scan of the rows", "", number(floor_ms, 1), "1.0", "");
  for (const gpuwhy::Tool& tool : gpuwhy::tools::AllTools()) {
    if (!tool.needs_trace) continue;
    gpuwhy::TraceSet traces;
    traces.Add(path);
    const double first_ms = CallMilliseconds(tool, traces);
    const double then_ms = MedianMilliseconds([&] { CallMilliseconds(tool, traces); });
    const int budget_ms = BudgetOf(tool.name);
    fmt::print(kLine, tool.name, budget_ms == 0 ? "" : std::to_string(budget_ms),
               number(first_ms, 1), number(first_ms / floor_ms, 1), number(then_ms, 1));
  }
  fmt::print("peak memory: {:.0f} MB\n", PeakMegabytes());
}

int Run(int64_t million_rows) {
  const gpuwhy::TempDir dir;
  constexpr int64_t kBareRows = 2'000'000;
  const auto bare_rate = gpuwhy::bench::BareInsertRate(dir.File("bare.db"), kBareRows);
  const std::string path = dir.File("large.db");
  const auto trace =
      gpuwhy::bench::GenerateTrace(path, million_rows * 1'000'000 / gpuwhy::bench::kRowsPerStep);
  if (!bare_rate.ok() || !trace.ok()) {
    std::puts((bare_rate.ok() ? trace.error() : bare_rate.error()).message.c_str());
    return 1;
  }
  PrintWriting(trace.value(), bare_rate.value());
  MeasureTools(path);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return Run(argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 10);
}
