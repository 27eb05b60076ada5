// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <charconv>
#include <filesystem>

#include "schema/base/text.h"
#include "tools/support/machine.h"

namespace gpuwhy {
namespace {

// Ring buffers, BTF-typed tracepoints and attach cookies are all there from this version on.
constexpr int kOldestMajor = 5;
constexpr int kOldestMinor = 15;

bool Exists(const char* path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

MachineCheck Version() {
  utsname name{};
  uname(&name);
  int major = 0;
  int minor = 0;
  const std::string_view release(name.release);
  const char* end = release.data() + release.size();
  const auto parsed = std::from_chars(release.data(), end, major);
  if (parsed.ptr != end) std::from_chars(parsed.ptr + 1, end, minor);
  const bool is_new = major > kOldestMajor || (major == kOldestMajor && minor >= kOldestMinor);
  return {.what = "Linux kernel",
          .state = OkIf(is_new),
          .is_needed_to_record = true,
          .found = CleanText(release),
          .meaning = "eBPF recording needs 5.15 or newer",
          .fix = is_new ? "" : "boot a kernel of 5.15 or newer"};
}

MachineCheck Btf() {
  const bool is_there = Exists("/sys/kernel/btf/vmlinux");
  return {.what = "kernel type information (BTF)",
          .state = OkIf(is_there),
          .is_needed_to_record = true,
          .found = is_there ? "/sys/kernel/btf/vmlinux" : "absent",
          .meaning = "lets one eBPF program fit every kernel",
          .fix = is_there ? "" : "use a kernel built with CONFIG_DEBUG_INFO_BTF=y"};
}

MachineCheck Jit() {
  const auto on = FirstLineOf("/proc/sys/net/core/bpf_jit_enable");
  const bool is_off = on == "0";
  return {.what = "BPF compiler",
          .state = OkIf(!is_off, CheckState::kLimited),
          .found = is_off ? "off"
                   : on   ? "bpf_jit_enable=" + *on
                          : "always on or not readable",
          .meaning = "without it each event costs several times as much",
          .fix = is_off ? "sudo sysctl net.core.bpf_jit_enable=1" : ""};
}

MachineCheck Uprobes() {
  const bool is_there = Exists("/sys/bus/event_source/devices/uprobe/type");
  return {.what = "uprobes",
          .state = OkIf(is_there),
          .is_needed_to_record = true,
          .found = is_there ? "available" : "absent",
          .meaning = "probes on functions of the CUDA libraries",
          .fix = is_there ? "" : "use a kernel built with CONFIG_UPROBE_EVENTS=y"};
}

MachineCheck PerfEvents() {
  const auto level = FirstLineOf("/proc/sys/kernel/perf_event_paranoid");
  return {.what = "perf events",
          .state = OkIf(level.has_value(), CheckState::kLimited),
          .found = level ? "perf_event_paranoid=" + *level : "absent",
          .meaning = "stack sampling; with CAP_PERFMON any level will do",
          .fix = level ? "" : "use a kernel built with CONFIG_PERF_EVENTS=y, or --sample-hz 0"};
}

MachineCheck KernelPointers() {
  const auto level = FirstLineOf("/proc/sys/kernel/kptr_restrict");
  const bool hides_all = level == "2";
  return {.what = "kernel symbols",
          .state = OkIf(!hides_all, CheckState::kLimited),
          .found = level ? "kptr_restrict=" + *level : "not readable",
          .meaning = "names of kernel functions in stacks",
          .fix = hides_all ? "sudo sysctl kernel.kptr_restrict=1" : ""};
}

// "none [integrity] confidentiality": the chosen one is in brackets.
MachineCheck Lockdown() {
  const auto modes = FirstLineOf("/sys/kernel/security/lockdown");
  const bool is_strict = modes && modes->find("[confidentiality]") != std::string::npos;
  return {.what = "kernel lockdown",
          .state = OkIf(!is_strict),
          .is_needed_to_record = true,
          .found = modes.value_or("not in use"),
          .meaning = "its strictest mode forbids BPF to read the kernel",
          .fix = is_strict ? "boot with lockdown=integrity, or without secure boot" : ""};
}

MachineCheck LockedMemory() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool has_limit = limit.rlim_cur != RLIM_INFINITY;
  return {.what = "locked memory",
          .state = CheckState::kOk,
          .found = has_limit ? FormatBytes(static_cast<int64_t>(limit.rlim_cur)) : "unlimited",
          .meaning = "BPF maps count against it only before Linux 5.11",
          .fix = {}};
}

MachineCheck Pressure() {
  const bool is_built = Exists("/proc/pressure/cpu");
  const bool is_on = FirstLineOf("/proc/pressure/cpu").has_value();
  return {.what = "pressure stall information",
          .state = OkIf(is_on, CheckState::kLimited),
          .found = is_on      ? "on"
                   : is_built ? "built, but off"
                              : "absent",
          .meaning = "how much of the time the whole machine waits for CPU, memory and disks",
          .fix = is_on      ? ""
                 : is_built ? "boot with psi=1"
                            : "use a kernel built with CONFIG_PSI=y"};
}

}  // namespace

std::vector<MachineCheck> CheckKernel() {
  return {Version(),        Btf(),      Jit(),          Uprobes(), PerfEvents(),
          KernelPointers(), Lockdown(), LockedMemory(), Pressure()};
}

}  // namespace gpuwhy
