// SPDX-License-Identifier: Apache-2.0
#include "tools/support/machine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

// Ring buffers, BTF-typed tracepoints and attach cookies are all there from this version on.
constexpr int kOldestMajor = 5;
constexpr int kOldestMinor = 15;
constexpr unsigned kCapSysAdmin = 21;  // linux/capability.h
constexpr unsigned kCapPerfmon = 38;
constexpr unsigned kCapBpf = 39;

bool Exists(const char* path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string FirstLine(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return CleanText(line, 160);
}

uint64_t EffectiveCapabilities() {
  std::ifstream status("/proc/self/status");
  uint64_t capabilities = 0;
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kKey = "CapEff:\t";
    if (line.starts_with(kKey)) {
      std::from_chars(line.data() + kKey.size(), line.data() + line.size(), capabilities, 16);
    }
  }
  return capabilities;
}

MachineCheck Kernel() {
  utsname name{};
  uname(&name);
  int major = 0;
  int minor = 0;
  const std::string_view release(name.release);
  const auto parsed = std::from_chars(release.data(), release.data() + release.size(), major);
  std::from_chars(parsed.ptr + 1, release.data() + release.size(), minor);
  const bool is_new = major > kOldestMajor || (major == kOldestMajor && minor >= kOldestMinor);
  return {.what = "Linux kernel",
          .is_ok = is_new,
          .is_needed_to_record = true,
          .found = CleanText(release),
          .meaning = "eBPF recording needs 5.15 or newer",
          .fix = is_new ? "" : "boot a kernel of 5.15 or newer"};
}

MachineCheck Btf() {
  const bool is_there = Exists("/sys/kernel/btf/vmlinux");
  return {.what = "kernel type information (BTF)",
          .is_ok = is_there,
          .is_needed_to_record = true,
          .found = is_there ? "/sys/kernel/btf/vmlinux" : "absent",
          .meaning = "lets one eBPF program fit every kernel",
          .fix = is_there ? "" : "use a kernel built with CONFIG_DEBUG_INFO_BTF=y"};
}

MachineCheck Privilege() {
  const uint64_t capabilities = EffectiveCapabilities();
  const auto has = [&](unsigned bit) { return ((capabilities >> bit) & 1U) != 0; };
  const bool is_allowed = has(kCapSysAdmin) || (has(kCapBpf) && has(kCapPerfmon));
  return {.what = "privilege",
          .is_ok = is_allowed,
          .is_needed_to_record = true,
          .found = geteuid() == 0 ? "root"
                   : is_allowed   ? "CAP_BPF and CAP_PERFMON"
                                  : "ordinary user",
          .meaning = "loading eBPF programs; analysing needs none",
          .fix = is_allowed ? "" : "run the recorder with sudo"};
}

MachineCheck Tracefs() {
  const bool is_there =
      Exists("/sys/kernel/tracing/events") || Exists("/sys/kernel/debug/tracing/events");
  return {.what = "tracefs",
          .is_ok = is_there,
          .is_needed_to_record = false,
          .found = is_there ? "mounted" : "not mounted",
          .meaning = "formats of kernel tracepoints",
          .fix = is_there ? "" : "sudo mount -t tracefs nodev /sys/kernel/tracing"};
}

MachineCheck Uprobes() {
  const bool is_there = Exists("/sys/bus/event_source/devices/uprobe/type");
  return {.what = "uprobes",
          .is_ok = is_there,
          .is_needed_to_record = true,
          .found = is_there ? "available" : "absent",
          .meaning = "probes on functions of the CUDA libraries",
          .fix = is_there ? "" : "use a kernel built with CONFIG_UPROBE_EVENTS=y"};
}

MachineCheck PerfEvents() {
  const std::string level = FirstLine("/proc/sys/kernel/perf_event_paranoid");
  return {.what = "perf events",
          .is_ok = !level.empty(),
          .is_needed_to_record = false,
          .found = level.empty() ? "absent" : "perf_event_paranoid=" + level,
          .meaning = "stack sampling; with privilege any level will do",
          .fix = level.empty() ? "use a kernel built with CONFIG_PERF_EVENTS=y" : ""};
}

MachineCheck Driver() {
  const std::string version = FirstLine("/proc/driver/nvidia/version");
  return {.what = "NVIDIA kernel driver",
          .is_ok = !version.empty(),
          .is_needed_to_record = false,
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
    check.is_ok = true;
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
          .is_ok = !python.empty(),
          .is_needed_to_record = false,
          .found = python.empty() ? "no python3 on the PATH" : python,
          .meaning = "profiling Python programs here"};
}

MachineCheck Sqlite() {
  return {.what = "SQLite",
          .is_ok = true,
          .found = sqlite3_libversion(),
          .meaning = "reads and writes trace databases"};
}

}  // namespace

std::vector<MachineCheck> CheckMachine() {
  return {
      Kernel(),
      Btf(),
      Privilege(),
      Uprobes(),
      PerfEvents(),
      Tracefs(),
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

}  // namespace gpuwhy
