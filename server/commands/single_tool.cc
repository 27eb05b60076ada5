// SPDX-License-Identifier: Apache-2.0
// gpuwhy stats, query and check: one tool each.
#include "server/commands/command.h"
#include "server/commands/output.h"

namespace gpuwhy {
namespace {

struct Options {
  std::string database;
  bool needs_trace = true;
  bool as_json = false;
  Json arguments = Json::object();
};

using Shared = std::shared_ptr<Options>;

// gpuwhy check fails, for scripts, where recording could not work.
int ExitCodeOf(const Answer& answer) {
  for (const Section& section : answer.sections) {
    const auto* facts = std::get_if<Facts>(&section);
    if (facts == nullptr) continue;
    for (const Fact& fact : facts->facts) {
      if (fact.key == "can_record" && fact.value == Value(std::string("no")))
        return kExitUnavailable;
    }
  }
  return kExitFine;
}

int Run(const char* tool, const Options& options) {
  TraceSet traces;
  if (options.needs_trace) {
    if (const Status opened = OpenTrace(traces, options.database); !opened.ok()) {
      return PrintError(opened.error());
    }
  }
  auto answer = CallTool(traces, tool, options.arguments);
  if (!answer.ok()) return PrintError(answer.error());
  const int code = ExitCodeOf(answer.value());
  PrintAnswers({{tool, std::move(answer).value()}}, options.as_json);
  return code;
}

// An option of the command line that becomes an argument of the tool when it is given.
void Forward(CLI::App* command, const Shared& options, const std::string& name,
             const std::string& help) {
  command->add_option_function<std::string>(
      "--" + name, [options, name](const std::string& value) { options->arguments[name] = value; },
      help);
}

void RunLater(CLI::App* command, RunFunction& run, const char* tool, const Shared& options) {
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback(
      [&run, tool, options] { run = [tool, options] { return Run(tool, *options); }; });
}

}  // namespace

void AddStats(CLI::App& app, RunFunction& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("stats", "Count, p50, p95, p99 and maximum per operation");
  command->add_option("--db,trace", options->database,
                      "Trace database, or any file that gpuwhy import reads");
  Forward(command, options, "since", "Start: -5m before the end, 12.5s after the start");
  Forward(command, options, "until", "End, in the forms of --since");
  Forward(command, options, "process", "Only this process: pid or name");
  Forward(command, options, "operation", "Only operations whose name contains this text");
  Forward(command, options, "source",
          "Only this table: api_call, gpu_op, off_cpu, host_event, range");
  Forward(command, options, "limit", "Rows to print");
  command->footer("Example: gpuwhy stats trace.db --since -5m");
  RunLater(command, run, "get_trace_stats", options);
}

void AddQuery(CLI::App& app, RunFunction& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("query", "Run one SELECT on a trace, read-only");
  command
      ->add_option_function<std::string>(
          "sql", [options](const std::string& sql) { options->arguments["sql"] = sql; },
          "One SELECT statement")
      ->required();
  command->add_option("--db,trace", options->database,
                      "Trace database, or any file that gpuwhy import reads");
  Forward(command, options, "limit", "Rows to print");
  command->footer(
      "Example: gpuwhy query \"SELECT name, count(*), p99(duration_ns) FROM api_calls GROUP BY "
      "name\" trace.db");
  RunLater(command, run, "run_sql", options);
}

void AddCheck(CLI::App& app, RunFunction& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("check", "Say what this machine allows to record and analyse");
  options->needs_trace = false;
  command->footer("Example: gpuwhy check");
  RunLater(command, run, "get_system_check", options);
}

}  // namespace gpuwhy
