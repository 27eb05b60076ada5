// SPDX-License-Identifier: Apache-2.0
// What works on this machine, what does not, and the command that fixes it.
#include <fmt/format.h>

#include <algorithm>

#include "tools/support/machine.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_system_check {
namespace {

std::string Headline(const std::vector<MachineCheck>& checks) {
  std::string missing;
  for (const MachineCheck& check : checks) {
    if (check.is_needed_to_record && !check.is_ok)
      missing += (missing.empty() ? "" : ", ") + check.what;
  }
  return missing.empty()
             ? "Traces can be analysed here, and the kernel and the privileges would allow "
               "recording"
             : fmt::format("Traces can be analysed here; recording could not work: {}", missing);
}

Result<Answer> Run(const ToolContext& /*context*/) {
  const std::vector<MachineCheck> checks = CheckMachine();
  Table table{.key = "checks",
              .columns = {{"is_ok", "ok"},
                          {"what", "what"},
                          {"found", "found"},
                          {"meaning", "for"},
                          {"fix", "fix"}}};
  for (const MachineCheck& check : checks) {
    table.rows.push_back({std::string(check.is_ok ? "yes" : "no"), check.what, check.found,
                          check.meaning, check.fix});
  }
  const bool can_record = std::all_of(checks.begin(), checks.end(), [](const MachineCheck& check) {
    return check.is_ok || !check.is_needed_to_record;
  });
  Answer answer{.headline = Headline(checks)};
  answer.sections.emplace_back(Facts{.key = "summary",
                                     .facts = {{"can_record", "recording possible", Unit::kText,
                                                std::string(can_record ? "yes" : "no")}}});
  answer.sections.emplace_back(std::move(table));
  answer.notes.emplace_back(
      "this version of gpuwhy analyses and imports; it has no recorder of its own yet");
  return answer;
}

}  // namespace

Tool Define() {
  return {.name = "get_system_check",
          .title = "System check",
          .description =
              "Checks what this machine allows: kernel, BTF, privileges, CUDA, NVML and CUPTI "
              "libraries, with the "
              "command that fixes what is missing. Use it when recording or importing fails.",
          .needs_trace = false,
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_system_check
