// SPDX-License-Identifier: Apache-2.0
#include "tools/support/machine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

MachineCheck Driver() {
  const std::string version = FirstLineOf("/proc/driver/nvidia/version").value_or("");
  return {.what = "NVIDIA kernel driver",
          .state = OkIf(!version.empty()),
          .found = version.empty() ? "not loaded" : version,
          .meaning = "a GPU in this machine",
          .fix = version.empty() ? "install the NVIDIA driver, if this machine has a GPU" : ""};
}

struct Library {
  const char* what;
  std::array<const char*, 3> names;  // tried in this order
  const char* meaning;
};

// That the file exists says too little. A library that was loaded stays: vendor libraries keep
// memory and threads that do not survive being unloaded.
MachineCheck Load(const Library& library) {
  MachineCheck check{.what = library.what, .found = "cannot be loaded", .meaning = library.meaning};
  for (const char* name : library.names) {
    if (name == nullptr) break;
    void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) continue;
    dlclose(handle);
    check.state = CheckState::kOk;
    check.found = name;
    break;
  }
  return check;
}

// What python3 on the PATH stands for; nothing is run.
std::string FindPython() {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/bin" : path;
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    std::error_code failure;
    const auto file = std::filesystem::canonical(folder + "/python3", failure);
    if (!failure && access(file.c_str(), X_OK) == 0) return CleanText(file.string());
  }
  return "";
}

MachineCheck Python() {
  const std::string python = FindPython();
  return {.what = "Python",
          .state = OkIf(!python.empty()),
          .found = python.empty() ? "no python3 on the PATH" : python,
          .meaning = "profiling Python programs here"};
}

MachineCheck Sqlite() {
  return {.what = "SQLite",
          .state = CheckState::kOk,
          .found = sqlite3_libversion(),
          .meaning = "reads and writes trace databases"};
}

std::vector<MachineCheck> CheckPrograms() {
  return {
      Driver(),
      Load({"CUDA driver library", {"libcuda.so.1", nullptr}, "the driver API of processes"}),
      Load({"CUDA runtime library",
            {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"},
            "the runtime API; wheels and conda bring their own"}),
      Load({"NVML", {"libnvidia-ml.so.1", nullptr}, "clocks, power and utilisation of the device"}),
      Load({"CUPTI",
            {"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
            "kernel times on the device; wheels and conda bring their own"}),
      Python(),
      Sqlite()};
}

}  // namespace

std::optional<std::string> FirstLineOf(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return CleanText(line, 160);
}

std::vector<MachineCheck> CheckMachine() {
  std::vector<MachineCheck> checks = CheckKernel();
  for (MachineCheck& check : CheckPrivileges())
    checks.push_back(std::move(check));
  for (MachineCheck& check : CheckPrograms())
    checks.push_back(std::move(check));
  return checks;
}

Table ChecksTable() {
  return {.key = "checks",
          .title = {},
          .columns = {{"status", "status"},
                      {"what", "what"},
                      {"found", "found"},
                      {"meaning", "for"},
                      {"fix", "fix"}},
          .rows = {},
          .more = {}};
}

std::vector<Value> RowOf(const MachineCheck& check) {
  const char* state = check.state == CheckState::kOk        ? "ok"
                      : check.state == CheckState::kLimited ? "limited"
                                                            : "missing";
  return {std::string(state), check.what, check.found, check.meaning, check.fix};
}

std::string MissingToRecord(const std::vector<MachineCheck>& checks) {
  std::string missing;
  for (const MachineCheck& check : checks) {
    if (check.is_needed_to_record && check.state == CheckState::kMissing)
      missing += (missing.empty() ? "" : ", ") + check.what;
  }
  return missing;
}

}  // namespace gpuwhy
