// SPDX-License-Identifier: Apache-2.0
// Which GPU libraries running processes use, and whether their functions can be found.
#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "collectors/ebpf/functions.h"
#include "collectors/ebpf/recording_check.h"
#include "collectors/process/gpu_libraries.h"
#include "collectors/process/proc_status.h"
#include "collectors/process/process_list.h"
#include "collectors/symbols/elf_symbols.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kMostProcesses = 20;
constexpr size_t kTextLimit = 200;

std::vector<std::string> NamesOf(GpuLibraryKind kind) {
  std::vector<std::string> names;
  for (const ProbedFunction& function : FunctionsOf(kind)) {
    for (std::string& name : VariantsOf(function.name, kind))
      names.push_back(std::move(name));
  }
  return names;
}

std::string BaseName(const std::string& path) {
  return CleanText(path.substr(path.rfind('/') + 1), 60);
}

// "libcudart.so.12 (31 functions)"; `can_probe` becomes false when one has none.
std::string LibraryText(const GpuLibrary& library, bool& can_probe) {
  const auto functions = ReadFunctions(library.open_path, NamesOf(library.kind));
  const size_t count = functions.ok() ? functions.value().size() : 0;
  if (count == 0) can_probe = false;
  return fmt::format("{} ({} functions)", BaseName(library.path), count);
}

MachineCheck CheckProcess(pid_t pid, const GpuLibraries& found) {
  const auto stat = ReadStat(pid);
  bool can_probe = found.problems.empty() && !found.has_driver_only;
  std::set<std::string> texts;
  for (const GpuLibrary& library : found.libraries)
    texts.insert(LibraryText(library, can_probe));
  std::string text;
  for (const std::string& each : texts)
    text += (text.empty() ? "" : ", ") + each;
  if (found.has_driver_only) text += "; its runtime is linked in: driver level only";
  if (!found.problems.empty()) text += (text.empty() ? "" : "; ") + found.problems.front();
  return {.what = fmt::format("process {} ({})", pid,
                              stat.ok() ? CleanText(stat.value().name, 40) : "ended"),
          .state = can_probe ? CheckState::kOk : CheckState::kLimited,
          .found = CleanText(text, kTextLimit),
          .meaning = "uses a GPU now",
          .fix = found.problems.empty() ? "" : "run as root, on the host"};
}

}  // namespace

std::vector<MachineCheck> CheckGpuProcesses() {
  GpuLibraryFinder finder;
  std::vector<MachineCheck> checks;
  const auto pids = ListPids();
  if (!pids.ok()) return checks;
  size_t unlisted = 0;
  for (const auto& [pid, found] : finder.FindAll(pids.value())) {
    // This program has tried to load the libraries itself.
    if (pid == getpid() || (found.libraries.empty() && !found.has_driver_only)) continue;
    if (checks.size() >= kMostProcesses) {
      ++unlisted;
    } else {
      checks.push_back(CheckProcess(pid, found));
    }
  }
  if (unlisted > 0 || checks.empty()) {
    checks.push_back({.what = "processes that use a GPU",
                      .state = CheckState::kOk,
                      .found = unlisted > 0 ? fmt::format("{} more", unlisted) : "none now",
                      .meaning = "what could be recorded at once",
                      .fix = {}});
  }
  return checks;
}

}  // namespace gpuwhy
