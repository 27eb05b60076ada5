// SPDX-License-Identifier: Apache-2.0
// gpuwhy stats and query: one tool each.
#include "server/commands/command.h"
#include "server/commands/output.h"

namespace gpuwhy {
namespace {

struct ToolOptions {
  std::string database;
  bool as_json = false;
  Json arguments = Json::object();
};

using Shared = std::shared_ptr<ToolOptions>;

int Run(const char* tool, const ToolOptions& options) {
  TraceSet traces;
  if (const Status opened = OpenTrace(traces, options.database); !opened.ok()) {
    return PrintError(opened.error());
  }
  auto answer = CallTool(traces, tool, options.arguments);
  if (!answer.ok()) return PrintError(answer.error());
  PrintAnswers({{tool, std::move(answer).value()}}, options.as_json);
  return kExitFine;
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
  const auto options = std::make_shared<ToolOptions>();
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
  const auto options = std::make_shared<ToolOptions>();
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

}  // namespace gpuwhy
