// SPDX-License-Identifier: Apache-2.0
// gpuwhy trace: records live processes with eBPF until they end, the time is over or Ctrl-C.
#include <csignal>
#include <cstdio>

#include "server/commands/command.h"
#include "server/commands/output.h"
#include "server/commands/stop_on_signal.h"
#include "server/commands/trace_file.h"
#include "server/commands/trace_run.h"
#include "server/commands/trace_summary.h"

namespace gpuwhy {
namespace {

constexpr uint64_t kSmallestDbBytes = 16U << 20U;  // a busy second must fit

// As the last of the lines that the recording printed.
void PrintJsonLine(const Answer& answer) {
  Json json = Json::parse(RenderJson(answer), nullptr, false);
  json["type"] = "end";
  const std::string line = DumpJson(json) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
}

int PrintSummary(const std::string& database, const TraceOutcome& outcome, bool as_json) {
  auto summary = SummarizeTrace(database, outcome);
  if (!summary.ok()) return PrintError(summary.error());
  if (as_json) {
    PrintJsonLine(summary.value());
  } else {
    PrintAnswers({{"trace", std::move(summary).value()}}, false);
  }
  return kExitFine;
}

Result<TraceOutcome> Record(const TraceOptions& options, const std::string& database) {
  GPUWHY_ASSIGN_OR_RETURN(TracePlan plan, MakeTracePlan(options));
  const StopOnSignal stop;
  // A reader that goes away (| head) ends the recording; it must not end us before the file is.
  std::signal(SIGPIPE, SIG_IGN);
  GPUWHY_ASSIGN_OR_RETURN(const auto file, TraceFile::Open(database));
  TraceRun run(options, stop);
  GPUWHY_RETURN_IF_ERROR(run.Start(file->db(), std::move(plan)));
  file->Keep();
  GPUWHY_RETURN_IF_ERROR(run.Record());
  return run.Outcome();
}

int Run(const TraceOptions& options) {
  const std::string database = options.database.empty() ? DefaultDatabase() : options.database;
  const auto outcome = Record(options, database);
  if (!outcome.ok()) return PrintError(outcome.error());
  return PrintSummary(database, outcome.value(), options.as_json);
}

void AddTargets(CLI::App* command, TraceOptions& options) {
  CLI::Option* program = command->add_option(
      "command", options.command, "Program to start and record, after --; Ctrl-C ends both");
  command->add_option("--pid,-p", options.pids, "Record this process and its children")
      ->excludes(program);
  command->add_option("--comm", options.comm, "Record processes of this name, now and later")
      ->excludes(program);
  command
      ->add_option("--cgroup", options.cgroup,
                   "Record the members of this cgroup, now and later: a path below "
                   "/sys/fs/cgroup or as in /proc/PID/cgroup")
      ->excludes(program);
}

void AddLimits(CLI::App* command, TraceOptions& options) {
  command->add_option("--duration", options.duration,
                      "End after 500ms, 60s, 5m or 1h; a program started here goes on");
  command->add_option("--buffer-mb", options.buffer_mb, "Ring buffer, MiB, a power of two");
  command->add_option("--max-rows-per-second", options.max_rows,
                      "Rows a second and CPU; above, only slow events are rows, all are counted");
  command->add_option("--stack-min-us", options.stack_min_us,
                      "Calls at least this long get their stack");
  command->add_option("--sample-hz", options.sample_hz, "Stack samples a second and CPU, 0: none");
  command
      ->add_option("--max-db", options.max_db_bytes,
                   "Delete the oldest rows above this size, for example 500M or 2G")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(kSmallestDbBytes, uint64_t{1} << 50U));
  command
      ->add_option("--overhead-budget", options.overhead_budget_pct,
                   "Record less when probes cost more than this share of the CPU time, percent")
      ->check(CLI::Range(0.0, 100.0));
}

}  // namespace

void AddTrace(CLI::App& app, RunFunction& run) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* command =
      app.add_subcommand("trace", "Record live processes: GPU calls, waits, locks, disks, stacks");
  AddTargets(command, *options);
  AddLimits(command, *options);
  command->add_option("-o,--db", options->database,
                      "Database to write (default: $GPUWHY_DB or the user's)");
  command->add_flag("-q,--quiet", options->is_quiet, "Show nothing while recording");
  command->add_flag("--json", options->as_json,
                    "Print a JSON object a second and one at the end; the program's output goes to "
                    "standard error");
  command->footer("Example: gpuwhy trace -o trace.db -- python3 train.py");
  command->callback([&run, options] { run = [options] { return Run(*options); }; });
}

}  // namespace gpuwhy
