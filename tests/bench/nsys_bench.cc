// SPDX-License-Identifier: Apache-2.0
// nsys_bench [megabytes]: imports a generated Nsight Systems export of about that size (default
// 300) and prints the rate beside two floors in the same run: SQLite reading the same columns of
// every row, and SQLite copying them into tables of a new file.
//
// The mix is that of emit_nvtx around a training step: per kernel one launch and two NVTX ranges.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "collectors/import_file.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"

namespace {

using BenchClock = std::chrono::steady_clock;

constexpr int64_t kBytesOfKernel = 370;  // with its launch and ranges

double ElapsedSeconds(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

double PeakMb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

std::string ExportSql(int64_t kernel_count) {
  return fmt::format(
      "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;"
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'void gemm<float>(int)'), "
      "(3, 'gemm');"
      "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
      "demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
      "blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, "
      "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, "
      "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId "
      "INTEGER);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, "
      "domainId INTEGER, text TEXT, textId INTEGER);"
      "CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE "
      "i < {0} - 1) SELECT i FROM c;"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 12345 + 9000, i * 12345 + 19000, 0, 1, 7, "
      "i, 281477392629760, 2, 3, 8, 16, 8, 128, 1, 1, 168, 0, 81920, NULL FROM n;"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 12345 + 2000, i * 12345 + 5217, 0, "
      "281477392629904, i, 1, 0, NULL FROM n;"
      "INSERT INTO NVTX_EVENTS SELECT i / 2 * 12345 + i % 2 * 100, i / 2 * 12345 + 9000 - i % 2 * "
      "100, 59, 281477392629904, 0, 'aten::linear, seq = ' || i || ', op_id = ' || i, NULL FROM "
      "(SELECT i * 2 AS i FROM n UNION ALL SELECT i * 2 + 1 FROM n);",
      kernel_count);
}

// Reads every column that the importer reads, and nothing else.
double ReadFloorSeconds(const std::string& path) {
  const auto start = BenchClock::now();
  sqlite3* db = nullptr;
  sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
  int64_t sum = 0;
  for (const char* sql :
       {"SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, "
        "demangledName, "
        "gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory, "
        "dynamicSharedMemory, graphNodeId FROM CUPTI_ACTIVITY_KIND_KERNEL",
        "SELECT start, end, globalTid, nameId, correlationId, returnValue, callchainId FROM "
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        "SELECT start, end, eventType, globalTid, domainId, text, textId FROM NVTX_EVENTS"}) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int column = 0; column < sqlite3_column_count(statement); ++column)
        sum += sqlite3_column_int64(statement, column);
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(db);
  return sum == 0 ? 0 : ElapsedSeconds(start);
}

double CopyFloorSeconds(const std::string& path, const std::string& to) {
  const auto start = BenchClock::now();
  gpuwhy::MakeSqliteFile(
      to, fmt::format("ATTACH '{}' AS e; BEGIN; CREATE TABLE k AS SELECT * FROM "
                      "e.CUPTI_ACTIVITY_KIND_KERNEL; CREATE TABLE r AS SELECT * FROM "
                      "e.CUPTI_ACTIVITY_KIND_RUNTIME; CREATE TABLE n AS SELECT * FROM "
                      "e.NVTX_EVENTS; COMMIT",
                      path));
  return ElapsedSeconds(start);
}

int RunNsysBench(int64_t megabytes) {
  const gpuwhy::TempDir dir;
  const std::string path = dir.File("export.sqlite");
  const int64_t kernel_count = megabytes * 1'000'000 / kBytesOfKernel;
  gpuwhy::MakeSqliteFile(path, ExportSql(kernel_count));
  const double size_mb = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  const double row_count = static_cast<double>(kernel_count) * 4;
  std::printf("  export of %.0f MB, %.2f million rows\n", size_mb, row_count / 1e6);
  const double read_s = ReadFloorSeconds(path);
  const double copy_s = CopyFloorSeconds(path, dir.File("copy.sqlite"));
  const double before_mb = PeakMb();

  auto db = gpuwhy::TraceDb::OpenForWriting(dir.File("trace.db"));
  if (!db.ok()) return 1;
  const auto start = BenchClock::now();
  const auto report = gpuwhy::ImportFile(db.value(), path, {});
  const double import_s = ElapsedSeconds(start);
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return 1;
  }
  std::printf(
      "  import       %6.2f s  %6.1f MB/s  %5.2f million rows/s  peak %.0f MB (%.0f before)\n",
      import_s, size_mb / import_s, row_count / import_s / 1e6, PeakMb(), before_mb);
  std::printf("  floor: read  %6.2f s  ratio %.1f\n", read_s, import_s / read_s);
  std::printf("  floor: copy  %6.2f s  ratio %.1f\n", copy_s, import_s / copy_s);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return RunNsysBench(argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 300);
}
