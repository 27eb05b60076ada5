// SPDX-License-Identifier: Apache-2.0
// gpuwhy explain: the whole diagnosis of one trace, as the tools would give it to an assistant.
#include "server/commands/command.h"
#include "server/commands/output.h"

namespace gpuwhy {
namespace {

struct Options {
  std::string database;
  std::string since;
  std::string until;
  std::string process;
  std::string fail_on;
  bool per_process = false;
  bool as_json = false;
};

Json Arguments(const Options& options) {
  Json arguments = Json::object();
  if (!options.since.empty()) arguments["since"] = options.since;
  if (!options.until.empty()) arguments["until"] = options.until;
  if (!options.process.empty()) arguments["process"] = options.process;
  return arguments;
}

// Whether the findings hold one at least as severe as asked for.
bool HasSeverity(const Answer& answer, const std::string& least) {
  for (const Section& section : answer.sections) {
    const auto* items = std::get_if<Items>(&section);
    if (items == nullptr || items->key != "findings") continue;
    for (const Item& item : items->items) {
      if (item.severity == "HIGH" || (least == "medium" && item.severity == "MEDIUM")) return true;
    }
  }
  return false;
}

int Run(const Options& options) {
  TraceSet traces;
  if (const Status opened = OpenTrace(traces, options.database); !opened.ok()) {
    return PrintError(opened.error());
  }
  std::vector<std::string> names = {"get_trace_overview", "get_findings", "get_gpu_idle_causes"};
  if (options.per_process) names.emplace_back("get_per_process_breakdown");
  std::vector<std::pair<std::string, Answer>> answers;
  bool has_severity = false;
  for (const std::string& name : names) {
    auto answer = CallTool(traces, name, DeclaredArguments(name, Arguments(options)));
    if (!answer.ok()) return PrintError(answer.error());
    if (name == "get_findings") has_severity = HasSeverity(answer.value(), options.fail_on);
    answers.emplace_back(name, std::move(answer).value());
  }
  PrintAnswers(answers, options.as_json);
  return has_severity && !options.fail_on.empty() ? kExitFinding : kExitFine;
}

}  // namespace

void AddExplain(CLI::App& app, RunFunction& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("explain", "Say why the GPU waited, with the evidence");
  command->add_option("trace", options->database,
                      "Trace database, or any file that gpuwhy import reads");
  command->add_option("--since", options->since,
                      "Start: -5m before the end, 12.5s after the start");
  command->add_option("--until", options->until, "End, in the forms of --since");
  command->add_option("--process", options->process, "Only this process: pid or name");
  command->add_flag("--per-process", options->per_process, "Add the breakdown per process");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->add_option("--fail-on", options->fail_on, "Exit with 1 on a finding of this severity")
      ->check(CLI::IsMember({"high", "medium"}));
  command->footer("Example: gpuwhy explain trace.db --since -5m --per-process");
  command->callback([&run, options] { run = [options] { return Run(*options); }; });
}

}  // namespace gpuwhy
