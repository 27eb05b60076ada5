// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "schema/base/text.h"
#include "tools/support/machine.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_system_check {
namespace {

constexpr std::string_view kOk = "ok";
constexpr std::string_view kMissing = "missing";

struct Check {
  std::string_view key;
  std::string_view label;
  bool is_ok = false;
  bool is_needed_to_record = false;
  std::string found;
  std::string_view meaning;  // what it is for; shown when it is missing
  std::string_view fix;      // the command that mends it
};

Check Kernel() {
  const std::string release = KernelRelease();
  int major = 0;
  int minor = 0;
  const char* end = release.data() + release.size();
  const auto parsed = std::from_chars(release.data(), end, major);
  if (parsed.ptr != end) std::from_chars(parsed.ptr + 1, end, minor);
  constexpr int kMajor = 5;
  constexpr int kMinor = 15;
  return {.key = "kernel",
          .label = "Linux kernel",
          .is_ok = major > kMajor || (major == kMajor && minor >= kMinor),
          .is_needed_to_record = true,
          .found = release,
          .meaning = "recording needs 5.15 or newer (attach cookies of probes)",
          .fix = "upgrade the kernel"};
}

Check Btf() {
  const bool has_btf = CanRead("/sys/kernel/btf/vmlinux");
  return {.key = "btf",
          .label = "kernel types (BTF)",
          .is_ok = has_btf,
          .is_needed_to_record = true,
          .found = has_btf ? "/sys/kernel/btf/vmlinux" : "no readable /sys/kernel/btf/vmlinux",
          .meaning = "kernel probes find their fields with it",
          .fix = "boot a kernel built with CONFIG_DEBUG_INFO_BTF (all of Debian and Ubuntu are)"};
}

Check Rights() {
  constexpr int kCapSysAdmin = 21;
  constexpr int kCapPerfmon = 38;
  constexpr int kCapBpf = 39;
  const bool has_caps =
      HasCapability(kCapSysAdmin) || (HasCapability(kCapBpf) && HasCapability(kCapPerfmon));
  std::string found =
      has_caps ? "CAP_BPF and CAP_PERFMON" : "neither CAP_BPF and CAP_PERFMON nor CAP_SYS_ADMIN";
  if (IsRoot()) found = has_caps ? "root" : "root without CAP_BPF and CAP_PERFMON (a container?)";
  return {.key = "rights",
          .label = "rights to load probes",
          .is_ok = has_caps,
          .is_needed_to_record = true,
          .found = std::move(found),
          .meaning = "kernel probes need root or CAP_BPF and CAP_PERFMON",
          .fix = "run with sudo; in a container: --cap-add BPF --cap-add PERFMON"};
}

Check TraceFs() {
  const bool has_events =
      CanRead("/sys/kernel/tracing/events") || CanRead("/sys/kernel/debug/tracing/events");
  return {.key = "tracefs",
          .label = "tracepoints (tracefs)",
          .is_ok = has_events,
          .is_needed_to_record = true,
          .found = has_events ? "readable" : "no readable /sys/kernel/tracing/events",
          .meaning = "the list of tracepoints is there",
          .fix = "sudo mount -t tracefs tracefs /sys/kernel/tracing"};
}

Check Uprobes() {
  const auto type = ReadFirstLine("/sys/bus/event_source/devices/uprobe/type");
  return {.key = "uprobes",
          .label = "user-space probes (uprobes)",
          .is_ok = type.has_value(),
          .is_needed_to_record = true,
          .found = type ? "available" : "no /sys/bus/event_source/devices/uprobe",
          .meaning = "CUDA calls are timed with them",
          .fix = "boot a kernel built with CONFIG_UPROBE_EVENTS"};
}

Check PerfParanoid() {
  const auto level = ReadFirstLine("/proc/sys/kernel/perf_event_paranoid");
  const bool is_open = level && std::atoi(level->c_str()) <= 1;
  return {.key = "perf_event_paranoid",
          .label = "perf_event_paranoid",
          .is_ok = is_open || IsRoot(),
          .found = level ? *level : "not readable",
          .meaning = "above 1, users without CAP_PERFMON get no kernel samples",
          .fix = "sudo sysctl kernel.perf_event_paranoid=1"};
}

Check NvidiaDriver() {
  const auto line = ReadFirstLine("/proc/driver/nvidia/version");
  std::string found = "no /proc/driver/nvidia/version";
  if (line) {
    auto version = WordAfter(*line, "Kernel Module for x86_64");
    if (!version) version = WordAfter(*line, "Kernel Module");
    found = version.value_or(CleanText(*line, 60));
  }
  return {.key = "nvidia_driver",
          .label = "NVIDIA driver",
          .is_ok = line.has_value(),
          .found = std::move(found),
          .meaning = "no NVIDIA device can be used here; traces of other machines can be analysed",
          .fix = "install the driver of the distribution, or analyse a trace from elsewhere"};
}

struct LibrarySpec {
  std::string_view key;
  std::string_view label;
  std::span<const char* const> names;
  const char* version_function;  // encodes 12040 for 12.4; nullptr = has none of this form
  std::string_view meaning;
  std::string_view fix;
};

Check Library(const LibrarySpec& spec) {
  const auto library = LoadLibrary(spec.names, spec.version_function);
  Check check{.key = spec.key,
              .label = spec.label,
              .is_ok = library.has_value(),
              .found = "does not load",
              .meaning = spec.meaning,
              .fix = spec.fix};
  if (!library) return check;
  check.found = library->name;
  if (library->version) {
    check.found +=
        fmt::format(", CUDA {}.{}", *library->version / 1000, *library->version % 1000 / 10);
  }
  return check;
}

constexpr std::array kCudaNames = {"libcuda.so.1"};
constexpr std::array kRuntimeNames = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0",
                                      "libcudart.so"};
constexpr std::array kNvmlNames = {"libnvidia-ml.so.1"};
constexpr std::array kCuptiNames = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11",
                                    "libcupti.so"};
constexpr std::array<LibrarySpec, 4> kLibraries = {{
    {"libcuda", "CUDA driver library", kCudaNames, "cuDriverGetVersion",
     "programs cannot use the GPU without it", "it comes with the NVIDIA driver"},
    {"libcudart", "CUDA runtime library", kRuntimeNames, "cudaRuntimeGetVersion",
     "not on the loader's path; Python wheels carry their own, which is fine",
     "nothing, or install the CUDA toolkit"},
    {"nvml", "NVML", kNvmlNames, nullptr, "utilisation, clocks and throttling come from it",
     "it comes with the NVIDIA driver"},
    {"cupti", "CUPTI", kCuptiNames, nullptr,
     "kernel times on the device come from it; Python wheels carry their own",
     "nothing, or install the CUDA toolkit"},
}};

Check Python() {
  const auto python = FindPython();
  return {.key = "python",
          .label = "Python",
          .is_ok = python.has_value(),
          .found = python.value_or("no python3 on the PATH"),
          .meaning = "only needed to profile Python programs here",
          .fix = "apt-get install python3"};
}

Check Sqlite() {
  return {.key = "sqlite", .label = "SQLite", .is_ok = true, .found = sqlite3_libversion()};
}

std::vector<Check> AllChecks() {
  std::vector<Check> checks = {Kernel(),  Btf(),          Rights(),      TraceFs(),
                               Uprobes(), PerfParanoid(), NvidiaDriver()};
  for (const LibrarySpec& spec : kLibraries)
    checks.push_back(Library(spec));
  checks.push_back(Python());
  checks.push_back(Sqlite());
  return checks;
}

Result<Answer> Run(const ToolContext& /*context*/) {
  const std::vector<Check> checks = AllChecks();
  const auto is_blocking = [](const Check& check) {
    return check.is_needed_to_record && !check.is_ok;
  };
  const auto blocking_count = std::count_if(checks.begin(), checks.end(), is_blocking);
  Table table{.key = "checks",
              .columns = {{"check", "check"},
                          {"label", "what"},
                          {"status", "status"},
                          {"found", "found"},
                          {"meaning", "means"},
                          {"fix", "to mend it"}}};
  for (const Check& check : checks) {
    table.rows.push_back({std::string(check.key), std::string(check.label),
                          std::string(check.is_ok ? kOk : kMissing), check.found,
                          std::string(check.is_ok ? "" : check.meaning),
                          std::string(check.is_ok ? "" : check.fix)});
  }
  Answer answer;
  answer.headline =
      blocking_count == 0
          ? "This machine has all that recording with kernel probes needs; analysing traces works"
          : fmt::format(
                "Analysing traces works here; recording with kernel probes would not: {} of "
                "its needs {} missing",
                blocking_count, blocking_count == 1 ? "is" : "are");
  answer.sections.emplace_back(
      Facts{.key = "summary",
            .facts = {{"is_ready_to_record", "ready to record", Unit::kText,
                       std::string(blocking_count == 0 ? "yes" : "no")}}});
  answer.sections.emplace_back(std::move(table));
  answer.notes.emplace_back(
      "this version analyses recorded and imported traces; recording arrives with gpuwhy trace");
  return answer;
}

}  // namespace

Tool Define() {
  return {.name = "get_system_check",
          .title = "System check",
          .description =
              "Checks what this machine allows: kernel, BTF, rights, tracefs, uprobes, NVIDIA "
              "driver, CUDA, NVML and CUPTI libraries, each with its meaning and fix. Use it when "
              "data is missing.",
          .needs_trace = false,
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_system_check
