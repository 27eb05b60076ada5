// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/recording_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include "collectors/ebpf/bpf_log.h"
#include "collectors/ebpf/kernel_probes.h"
#include "collectors/process/proc_maps.h"
#include "collectors/symbols/elf_symbols.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kReasonLimit = 240;

// Some function of this very program: where the code of `main` is in its file.
Result<ProbePoint> OwnFunction() {
  GPUWHY_ASSIGN_OR_RETURN(const auto functions,
                          ReadFunctions("/proc/self/exe", {"main", "_start"}));
  if (functions.empty()) return NotFound("the symbols of gpuwhy were stripped");
  return ProbePoint{.file_offset = functions.front().file_offset};
}

// Probes as the recorder would, many functions by one link or each by its own.
MachineCheck ProbeWith(KernelProbes& probes, const char* what) {
  MachineCheck check{.what = what,
                     .is_needed_to_record = true,
                     .found = "one attached and removed",
                     .meaning = "the calls of GPU libraries",
                     .fix = {}};
  const auto point = OwnFunction();
  if (!point.ok()) {
    check.state = CheckState::kOk;
    check.found = "not tried: " + point.error().message;
    return check;
  }
  const Status attached = probes.AttachLibrary("/proc/self/exe", {&point.value(), 1});
  check.state = attached.ok() ? CheckState::kOk : CheckState::kMissing;
  if (attached.ok()) return check;
  check.found = CleanText(attached.error().message, kReasonLimit);
  check.fix = "sudo gpuwhy trace, on the host";
  return check;
}

std::vector<MachineCheck> CheckLoading() {
  MachineCheck load{.what = "loading the recorder",
                    .state = CheckState::kOk,
                    .is_needed_to_record = true,
                    .found = "loaded, attached and removed",
                    .meaning = "the test that decides",
                    .fix = {}};
  const auto probes = KernelProbes::Start({});
  if (probes.ok()) return {load, ProbeWith(*probes.value(), "probing functions")};
  load.state = CheckState::kMissing;
  load.found = CleanText(probes.error().message, kReasonLimit);
  load.fix = geteuid() == 0 ? "run on the host: containers need CAP_BPF and CAP_PERFMON"
                            : "sudo gpuwhy check";
  return {load};
}

}  // namespace

std::vector<MachineCheck> CheckTracepoints() {
  const auto tracepoints = KernelProbes::ListTracepoints();
  if (!tracepoints.ok()) {
    return {{.what = "tracepoints",
             .state = CheckState::kLimited,
             .found = CleanText(tracepoints.error().message, kReasonLimit),
             .meaning = "what the scheduler, disks and memory do",
             .fix = {}}};
  }
  std::vector<MachineCheck> checks;
  for (const TracepointState& tracepoint : tracepoints.value()) {
    checks.push_back({.what = "tracepoint " + tracepoint.name,
                      .state = tracepoint.is_there ? CheckState::kOk : CheckState::kLimited,
                      .found = tracepoint.is_there ? "present" : "absent",
                      .meaning = "recorded where the kernel has it",
                      .fix = tracepoint.is_there ? "" : "boot a newer kernel"});
  }
  return checks;
}

std::vector<MachineCheck> CheckRecording() {
  std::vector<MachineCheck> checks = CheckLoading();
  for (auto part : {&CheckTracepoints, &CheckGpuProcesses}) {
    for (MachineCheck& check : part())
      checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace gpuwhy
