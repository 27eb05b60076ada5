// SPDX-License-Identifier: Apache-2.0
// gpuwhy trace: records live processes with eBPF until they end, the time is over or Ctrl-C.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "collectors/ebpf/live_recording.h"
#include "schema/base/text.h"
#include "server/commands/command.h"
#include "server/commands/output.h"
#include "server/commands/stop_on_signal.h"
#include "server/commands/traced_child.h"
#include "server/version.h"

namespace gpuwhy {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLongestWait = std::chrono::milliseconds(100);
constexpr size_t kPathLimit = 200;
constexpr uint64_t kSmallestDbBytes = 16U << 20U;  // a busy second must fit

struct Options {
  std::vector<std::string> command;
  std::vector<pid_t> pids;
  std::string comm;
  std::string cgroup;
  std::string duration;
  std::string database;
  uint64_t buffer_mb = 16;
  uint64_t max_rows = 100'000;
  double stack_min_us = 1000;
  unsigned sample_hz = 49;
  uint64_t max_db_bytes = 0;
  double overhead_budget_pct = 0;
  bool as_json = false;
};

// An earlier recording is kept beside the new one, as perf does; other files are left alone.
Status MakeRoom(const std::string& database) {
  std::error_code failure;
  const auto folder = std::filesystem::path(database).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (!std::filesystem::exists(database, failure)) return {};
  if (const auto known = TraceDb::OpenReadOnly(database); !known.ok()) {
    return InvalidArgument(
        fmt::format("{} exists and is no gpuwhy trace: name another file with -o",
                    CleanText(database, kPathLimit)));
  }
  std::filesystem::rename(database, database + ".old", failure);
  if (!failure) return {};
  return Unavailable(fmt::format("cannot move {} out of the way: {}", database, failure.message()));
}

RecordingOptions RecordingOf(const Options& options) {
  RecordingOptions recording;
  recording.pids = options.pids;
  recording.comm = options.comm;
  recording.cgroup = options.cgroup;
  recording.tool_version = fmt::format("gpuwhy {}", GPUWHY_VERSION);
  recording.probes.ring_bytes = options.buffer_mb << 20U;
  recording.probes.rows_per_cpu_second = options.max_rows;
  recording.probes.stack_min_ns = static_cast<uint64_t>(options.stack_min_us * 1000);
  recording.probes.sample_hz = options.sample_hz;
  recording.max_db_bytes = static_cast<int64_t>(options.max_db_bytes);
  recording.overhead_budget_pct = options.overhead_budget_pct;
  return recording;
}

class TraceRun {
 public:
  TraceRun(const Options& options, std::stop_token stop)
      : options_(options), stop_(std::move(stop)) {}

  Status Run(const TraceDb& db) {
    RecordingOptions wanted = RecordingOf(options_);
    if (!options_.command.empty()) {
      auto child = TracedChild::Make(options_.command);
      if (!child.ok()) return child.error();
      child_ = std::make_unique<TracedChild>(std::move(child).value());
      wanted.pids = {child_->pid()};
    }
    GPUWHY_ASSIGN_OR_RETURN(recording_, LiveRecording::Start(db, std::move(wanted)));
    if (child_ != nullptr) GPUWHY_RETURN_IF_ERROR(child_->Begin());
    GPUWHY_RETURN_IF_ERROR(Loop());
    return recording_->Finish();
  }

 private:
  Status Loop() {
    const auto start = Clock::now();
    auto next_second = start + std::chrono::seconds(1);
    while (!IsOver(start)) {
      GPUWHY_RETURN_IF_ERROR(recording_->Read(kLongestWait));
      if (Clock::now() < next_second) continue;
      next_second += std::chrono::seconds(1);
      GPUWHY_RETURN_IF_ERROR(recording_->EndSecond());
    }
    return {};
  }

  bool IsOver(Clock::time_point) {
    if (stop_.stop_requested()) return true;
    if (child_ != nullptr) return child_->Ended().has_value();
    const bool has_targets = !options_.pids.empty();
    return has_targets && recording_->Targets().empty();
  }

  const Options& options_;
  std::stop_token stop_;
  std::unique_ptr<TracedChild> child_;
  std::unique_ptr<LiveRecording> recording_;
};

int Run(const Options& options) {
  const std::string database = options.database.empty() ? DefaultDatabase() : options.database;
  if (const Status made = MakeRoom(database); !made.ok()) return PrintError(made.error());
  Status recorded;
  {
    auto db = TraceDb::OpenForWriting(database);
    if (!db.ok()) return PrintError(db.error());
    const StopOnSignal stop;
    TraceRun run(options, stop.token());
    recorded = run.Run(db.value());
  }
  if (!recorded.ok()) return PrintError(recorded.error());
  fmt::print(stderr, "recorded {}\n", CleanText(database, kPathLimit));
  return kExitFine;
}

}  // namespace

void AddTrace(CLI::App& app, RunFunction& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("trace", "Record live processes: GPU calls, waits, locks, disks, stacks");
  command->add_option("command", options->command, "Program to start and record, after --");
  command->add_option("--pid,-p", options->pids, "Record this process and its children");
  command->add_option("--comm", options->comm, "Record processes of this name, now and later");
  command->add_option("--cgroup", options->cgroup, "Record the members of this cgroup");
  command->add_option("-o,--db", options->database,
                      "Database to write (default: $GPUWHY_DB or the user's)");
  command->add_option("--buffer-mb", options->buffer_mb, "Ring buffer, MiB, a power of two");
  command->add_option("--max-rows-per-second", options->max_rows,
                      "Rows a second and CPU; above, only slow events are rows, all are counted");
  command->add_option("--stack-min-us", options->stack_min_us,
                      "Calls at least this long get their stack");
  command->add_option("--sample-hz", options->sample_hz, "Stack samples a second and CPU, 0: none");
  command
      ->add_option("--max-db", options->max_db_bytes,
                   "Delete the oldest rows above this size, for example 500M or 2G")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(kSmallestDbBytes, uint64_t{1} << 50U));
  command
      ->add_option("--overhead-budget", options->overhead_budget_pct,
                   "Record less when probes cost more than this share of the CPU time, percent")
      ->check(CLI::Range(0.0, 100.0));
  command->add_flag("--json", options->as_json, "Print JSON lines");
  command->footer("Example: sudo gpuwhy trace -o trace.db -- python3 train.py");
  command->callback([&run, options] { run = [options] { return Run(*options); }; });
}

}  // namespace gpuwhy
