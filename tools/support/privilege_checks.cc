// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>

#include "tools/support/machine.h"

namespace gpuwhy {
namespace {

constexpr unsigned kSysAdmin = 21;  // linux/capability.h; older kernels had it for all of these

struct Capability {
  unsigned bit;
  const char* name;
  bool is_needed;
  bool is_in_sys_admin;
  const char* meaning;
};

constexpr std::array kCapabilities = {
    Capability{39, "CAP_BPF", true, true, "loading the recorder into the kernel"},
    Capability{38, "CAP_PERFMON", true, true, "tracepoints, uprobes and stack samples"},
    Capability{19, "CAP_SYS_PTRACE", false, false,
               "libraries, names and stacks of other users' processes"},
    Capability{2, "CAP_DAC_READ_SEARCH", false, false,
               "symbols of files that only others may read"},
    Capability{40, "CAP_CHECKPOINT_RESTORE", false, true,
               "libraries that were deleted or replaced while in use"},
    Capability{34, "CAP_SYSLOG", false, false,
               "names of kernel functions, where kptr_restrict is 1"}};

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

// Root without a capability sits in a container that was not given it.
std::string FixFor(const Capability& capability) {
  if (geteuid() != 0) return "run with sudo";
  const std::string name = std::string(capability.name).substr(4);
  return fmt::format("run on the host, or start the container with --cap-add {}", name);
}

MachineCheck Check(const Capability& capability, uint64_t effective) {
  const auto has = [&](unsigned bit) { return ((effective >> bit) & 1U) != 0; };
  const bool by_admin = capability.is_in_sys_admin && has(kSysAdmin);
  const bool is_there = has(capability.bit) || by_admin;
  return {.what = capability.name,
          .state = is_there               ? CheckState::kOk
                   : capability.is_needed ? CheckState::kMissing
                                          : CheckState::kLimited,
          .is_needed_to_record = capability.is_needed,
          .found = has(capability.bit) ? "held"
                   : by_admin          ? "CAP_SYS_ADMIN in its place"
                   : geteuid() == 0    ? "root without it"
                                       : "ordinary user",
          .meaning = capability.meaning,
          .fix = is_there ? "" : FixFor(capability)};
}

}  // namespace

std::vector<MachineCheck> CheckPrivileges() {
  const uint64_t effective = EffectiveCapabilities();
  std::vector<MachineCheck> checks;
  checks.reserve(std::size(kCapabilities));
  for (const Capability& capability : kCapabilities)
    checks.push_back(Check(capability, effective));
  return checks;
}

}  // namespace gpuwhy
