// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/generated_trace.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <vector>

#include "collectors/recorder.h"
#include "schema/trace_db.h"

namespace gpuwhy::bench {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr int64_t kBaseNs = 1'700'000'000'000'000'000;
constexpr int64_t kRanks = 2;
constexpr int64_t kWorkers = 4;
// Of one rank in one step: 2000 + 2000 + 750 + 250 rows.
constexpr int64_t kLaunches = 1999;
constexpr int64_t kOperators = 748;
constexpr int64_t kSwitches = 250;
constexpr int64_t kLoaderNs = 9'000'000;
constexpr int64_t kLaunchPeriodNs = 10'000;
constexpr int64_t kStepNs = kLoaderNs + kLaunches * kLaunchPeriodNs + 1'000'000;

class Rank {
 public:
  Rank(Recorder& recorder, int64_t number) : recorder_(recorder) {
    process_ = recorder.ProcessOf(1000 + number);
    recorder.SetProcess(process_, {.name = "python3", .rank = number});
    thread_ = recorder.ThreadOf(process_, 1000 + number);
    gpu_ = recorder.GpuOf(number);
    for (int64_t i = 0; i < kWorkers; ++i) {
      const int64_t pid = 2000 + number * kWorkers + i;
      const int64_t worker = recorder.ProcessOf(pid);
      recorder.SetProcess(worker, {.parent_id = process_, .name = "pt_data_worker"});
      workers_.push_back(recorder.ThreadOf(worker, pid));
    }
    for (size_t i = 0; i < kernels_.size(); ++i) {
      kernels_[i] = recorder.InternName(fmt::format("void gemm_kernel<{}, float>(float*)", i));
      operators_[i] = recorder.InternName(fmt::format("aten::operator_{}", i));
    }
  }

  void Step(int64_t number) {
    start_ns_ = kBaseNs + number * kStepNs;
    AddRange(start_ns_, kStepNs - 1000, fmt::format("ProfilerStep#{}", number));
    AddRange(start_ns_ + 500, kLoaderNs - 1000, "enumerate(DataLoader)#_next_data");
    for (int64_t i = 0; i < kLaunches; ++i)
      Launch(i);
    for (int64_t i = 0; i < kOperators; ++i)
      AddOperator(i);
    for (int64_t i = 0; i < kSwitches; ++i)
      Switch(i);
    Synchronize();
  }

 private:
  int64_t LaunchTime(int64_t i) const { return start_ns_ + kLoaderNs + i * kLaunchPeriodNs; }

  void AddRange(int64_t start_ns, int64_t duration_ns, std::string_view name) {
    recorder_.Add(RangeRow{.start_ns = start_ns,
                           .duration_ns = duration_ns,
                           .thread_id = thread_,
                           .name_id = recorder_.InternName(name),
                           .category = "user_annotation"});
  }

  void Launch(int64_t i) {
    const auto kernel = static_cast<size_t>(i) % kernels_.size();
    const int64_t id = ++correlation_id_;
    recorder_.Add(ApiCallRow{.start_ns = LaunchTime(i),
                             .duration_ns = 4000 + i % 1700,
                             .thread_id = thread_,
                             .name_id = launch_,
                             .correlation_id = id});
    recorder_.Add(GpuOpRow{.start_ns = LaunchTime(i) + 6000,
                           .duration_ns = 7000 + i % 2900,
                           .gpu_id = gpu_,
                           .process_id = process_,
                           .context_id = 1,
                           .stream = 7,
                           .kind = "kernel",
                           .name_id = kernels_[kernel],
                           .correlation_id = id,
                           .grid_x = 128,
                           .grid_y = 8,
                           .grid_z = 1,
                           .block_x = 256,
                           .block_y = 1,
                           .block_z = 1,
                           .register_count = 96,
                           .shared_memory_bytes = 49152});
  }

  void AddOperator(int64_t i) {
    recorder_.Add(RangeRow{.start_ns = LaunchTime(i * 2) - 2000,
                           .duration_ns = 12'000,
                           .thread_id = thread_,
                           .name_id = operators_[static_cast<size_t>(i) % operators_.size()],
                           .category = "cpu_op"});
  }

  void Switch(int64_t i) {
    const bool is_feeder = i < 20;
    const auto worker = static_cast<size_t>(i) % workers_.size();
    recorder_.Add(OffCpuRow{.start_ns = start_ns_ + (is_feeder ? 1000 + i * 440'000 : i * 100'000),
                            .duration_ns = is_feeder ? 400'000 : 60'000 + i % 4000,
                            .thread_id = is_feeder ? thread_ : workers_[worker],
                            .runnable_ns = is_feeder ? 10'000 : 50'000,
                            .reason = is_feeder ? "sleep" : "preempted"});
  }

  void Synchronize() {
    const int64_t at_ns = LaunchTime(kLaunches);
    recorder_.Add(ApiCallRow{
        .start_ns = at_ns, .duration_ns = 40'000, .thread_id = thread_, .name_id = synchronize_});
    recorder_.Add(GpuOpRow{.start_ns = at_ns + 100,
                           .duration_ns = 39'000,
                           .gpu_id = gpu_,
                           .process_id = process_,
                           .context_id = 1,
                           .stream = 7,
                           .kind = "memset",
                           .name_id = recorder_.InternName("Memset (Device)"),
                           .bytes = 4096});
  }

  Recorder& recorder_;
  int64_t process_ = 0;
  int64_t thread_ = 0;
  int64_t gpu_ = 0;
  int64_t start_ns_ = 0;
  int64_t correlation_id_ = 0;
  std::vector<int64_t> workers_;
  std::array<int64_t, 61> kernels_{};
  std::array<int64_t, 61> operators_{};
  int64_t launch_ = recorder_.InternName("cudaLaunchKernel");
  int64_t synchronize_ = recorder_.InternName("cudaStreamSynchronize");
};

Status Insert(const TraceDb& db, int64_t step_count) {
  GPUWHY_RETURN_IF_ERROR(db.Execute("BEGIN"));
  GPUWHY_ASSIGN_OR_RETURN(const auto recorder,
                          Recorder::Start(db, {.kind = "cupti", .cpu_count = 16}));
  std::vector<Rank> ranks;
  for (int64_t i = 0; i < kRanks; ++i)
    ranks.emplace_back(*recorder, i);
  for (int64_t step = 0; step < step_count; ++step) {
    for (Rank& rank : ranks)
      rank.Step(step);
  }
  GPUWHY_RETURN_IF_ERROR(recorder->Finish());
  return db.Execute("COMMIT");
}

}  // namespace

Result<GeneratedTrace> GenerateTrace(const std::string& path, int64_t step_count) {
  GPUWHY_ASSIGN_OR_RETURN(const TraceDb db, TraceDb::OpenForWriting(path));
  auto start = Clock::now();
  GPUWHY_RETURN_IF_ERROR(Insert(db, step_count));
  GeneratedTrace made{.row_count = step_count * kRowsPerStep,
                      .insert_seconds = SecondsSince(start)};
  start = Clock::now();
  GPUWHY_RETURN_IF_ERROR(db.CreateIndexes());
  GPUWHY_RETURN_IF_ERROR(db.Execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  made.index_seconds = SecondsSince(start);
  made.size_bytes = static_cast<int64_t>(std::filesystem::file_size(path));
  return made;
}

Result<double> BareInsertRate(const std::string& path, int64_t row_count) {
  GPUWHY_ASSIGN_OR_RETURN(const TraceDb db, TraceDb::OpenForWriting(path));
  GPUWHY_RETURN_IF_ERROR(
      db.Execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, "
                 "d INTEGER, e INTEGER, f INTEGER, g TEXT) STRICT; BEGIN"));
  {
    GPUWHY_ASSIGN_OR_RETURN(Statement insert,
                            db.Prepare("INSERT INTO bare VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"));
    const auto start = Clock::now();
    for (int64_t i = 0; i < row_count; ++i) {
      for (int column = 1; column <= 6; ++column)
        sqlite3_bind_int64(insert.get(), column, kBaseNs / column + i);
      sqlite3_bind_text(insert.get(), 7, "kernel", 6, SQLITE_STATIC);
      if (sqlite3_step(insert.get()) != SQLITE_DONE) return db.LastError("inserting");
      sqlite3_reset(insert.get());
    }
    GPUWHY_RETURN_IF_ERROR(db.Execute("COMMIT"));
    return static_cast<double>(row_count) / SecondsSince(start);
  }
}

}  // namespace gpuwhy::bench
