// SPDX-License-Identifier: Apache-2.0
// gpuwhy explain: the whole diagnosis of one trace, as the tools would give it to an assistant.
#include <array>

#include "server/commands/command.h"
#include "server/commands/output.h"

namespace gpuwhy {
namespace {

// What is told on request.
struct Part {
  const char* flag;
  const char* tool;
  const char* help;
};
constexpr std::array kParts = {
    Part{"--per-process", "get_per_process_breakdown", "Add the breakdown per process"},
    Part{"--chains", "get_causal_chains", "Add who waited for whom, from the cause to the gap"},
    Part{"--steps", "get_step_breakdown",
         "Add the steps: their phases, and what slow ones waited for"},
    Part{"--ranks", "get_rank_comparison", "Add the ranks of a job: who is late, and who waits"},
    Part{"--kernels", "get_kernel_breakdown", "Add what the GPU spent its time on"},
    Part{"--stacks", "get_call_stacks", "Add which code made the calls"}};

constexpr size_t kStacks = kParts.size() - 1;

struct ExplainOptions {
  std::string database;
  std::string since;
  std::string until;
  std::string process;
  std::string fail_on;
  std::array<bool, kParts.size()> wants_part{};
  bool as_json = false;
};

Json Arguments(const ExplainOptions& options) {
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

// A trace of samples or counters alone has no idle time, and still tells something.
bool CanGoWithout(const std::string& tool, const Error& error) {
  return tool == "get_gpu_idle_causes" && error.code == ErrorCode::kNotFound;
}

int Run(const ExplainOptions& options) {
  TraceSet traces;
  if (const Status opened = OpenTrace(traces, options.database); !opened.ok()) {
    return PrintError(opened.error());
  }
  // The reason first; what was recorded is for those who read on.
  std::vector<std::string> names = {"get_findings", "get_gpu_idle_causes"};
  for (size_t i = 0; i < kParts.size(); ++i) {
    if (options.wants_part.at(i)) names.emplace_back(kParts.at(i).tool);
  }
  names.emplace_back("get_trace_overview");
  std::vector<std::pair<std::string, Answer>> answers;
  bool has_severity = false;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i];
    auto answer = CallTool(traces, name, DeclaredArguments(name, Arguments(options)));
    if (!answer.ok() && CanGoWithout(name, answer.error())) {
      answers.back().second.notes.push_back(answer.error().message);
      if (!options.wants_part.at(kStacks)) names.emplace_back(kParts.at(kStacks).tool);
      continue;
    }
    if (!answer.ok()) return PrintError(answer.error());
    if (name == "get_findings") has_severity = HasSeverity(answer.value(), options.fail_on);
    answers.emplace_back(name, std::move(answer).value());
    if (!options.as_json) answers.back().second.next.clear();  // names of tools, for assistants
  }
  PrintAnswers(answers, options.as_json);
  return has_severity && !options.fail_on.empty() ? kExitFinding : kExitFine;
}

}  // namespace

void AddExplain(CLI::App& app, RunFunction& run) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand("explain", "Say why the GPU waited, with the evidence");
  command->add_option("--db,trace", options->database,
                      "Trace database, or any file that gpuwhy import reads");
  command->add_option("--since", options->since,
                      "Start: -5m before the end, 12.5s after the start");
  command->add_option("--until", options->until, "End, in the forms of --since");
  command->add_option("--process", options->process, "Only this process: pid or name");
  for (size_t i = 0; i < kParts.size(); ++i)
    command->add_flag(kParts.at(i).flag, options->wants_part.at(i), kParts.at(i).help);
  command->add_flag("--json", options->as_json, "Print JSON");
  command->add_option("--fail-on", options->fail_on, "Exit with 1 on a finding of this severity")
      ->check(CLI::IsMember({"high", "medium"}));
  command->footer("Example: gpuwhy explain trace.db --since -5m --per-process");
  command->callback([&run, options] { run = [options] { return Run(*options); }; });
}

}  // namespace gpuwhy
