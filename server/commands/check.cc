// SPDX-License-Identifier: Apache-2.0
// gpuwhy check: what the tool finds by looking, and what the recorder finds by trying. The trial
// decides: the exit code is 3 where recording cannot work.
#include <fmt/format.h>

#include "collectors/ebpf/recording_check.h"
#include "server/commands/command.h"
#include "server/commands/output.h"
#include "tools/support/machine.h"

namespace gpuwhy {
namespace {

void AddRows(const std::vector<MachineCheck>& tried, Answer& answer) {
  for (Section& section : answer.sections) {
    auto* table = std::get_if<Table>(&section);
    if (table == nullptr || table->key != "checks") continue;
    for (const MachineCheck& check : tried)
      table->rows.push_back(RowOf(check));
  }
}

void Decide(bool can_record, Answer& answer) {
  for (Section& section : answer.sections) {
    auto* facts = std::get_if<Facts>(&section);
    if (facts == nullptr) continue;
    for (Fact& fact : facts->facts) {
      if (fact.key == "can_record") fact.value = std::string(can_record ? "yes" : "no");
    }
  }
}

std::string Headline(const std::vector<MachineCheck>& tried) {
  for (const MachineCheck& check : tried) {
    if (check.is_needed_to_record && check.state == CheckState::kMissing) {
      return fmt::format("Traces can be analysed here, but not recorded: {}", check.found);
    }
  }
  return "Traces can be recorded and analysed here";
}

int Run(bool as_json) {
  TraceSet traces;
  auto answer = CallTool(traces, "get_system_check", Json::object());
  if (!answer.ok()) return PrintError(answer.error());
  const std::vector<MachineCheck> tried = CheckRecording();
  const bool can_record = MissingToRecord(tried).empty();
  AddRows(tried, answer.value());
  Decide(can_record, answer.value());
  answer.value().headline = Headline(tried);
  answer.value().notes.clear();
  PrintAnswers({{"get_system_check", std::move(answer).value()}}, as_json);
  return can_record ? kExitFine : kExitUnavailable;
}

}  // namespace

void AddCheck(CLI::App& app, RunFunction& run) {
  const auto as_json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("check", "Say what this machine allows to record and analyse");
  command->add_flag("--json", *as_json, "Print JSON");
  command->footer("Example: gpuwhy check");
  command->callback([&run, as_json] { run = [as_json] { return Run(*as_json); }; });
}

}  // namespace gpuwhy
