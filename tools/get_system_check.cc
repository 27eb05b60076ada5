// SPDX-License-Identifier: Apache-2.0
// What works on this machine, what does not, and the command that fixes it.
#include <fmt/format.h>

#include "tools/support/machine.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_system_check {
namespace {

Result<Answer> Run(const ToolContext& /*context*/) {
  const std::vector<MachineCheck> checks = CheckMachine();
  const std::string missing = MissingToRecord(checks);
  Table table = ChecksTable();
  for (const MachineCheck& check : checks)
    table.rows.push_back(RowOf(check));
  Answer answer;
  answer.headline =
      missing.empty()
          ? "Traces can be analysed here, and the kernel and the privileges would allow recording"
          : fmt::format("Traces can be analysed here; recording could not work: {}", missing);
  answer.sections.emplace_back(Facts{.key = "summary",
                                     .title = {},
                                     .facts = {{"can_record", "recording possible", Unit::kText,
                                                std::string(missing.empty() ? "yes" : "no")}}});
  answer.sections.emplace_back(std::move(table));
  answer.notes.emplace_back(
      "`gpuwhy check` on the command line also loads the recorder, which decides");
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
