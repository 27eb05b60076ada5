// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/idle_class.h"

#include <array>

namespace gpuwhy {
namespace {

constexpr std::string_view kStacks = "get_call_stacks";
constexpr std::string_view kFindings = "get_findings";
constexpr std::string_view kChains = "get_causal_chains";
constexpr std::string_view kRecord =
    "kernel scheduling rows (sched_switch with reason and waker) would tell";

constexpr std::array<IdleClassInfo, kIdleClassCount> kClasses = {{
    {IdleClass::kProfilerOverhead, "profiler_overhead", "profiler overhead", ""},
    {IdleClass::kLaunchLatency, "launch_latency", "launch latency (launched <= 30 us ago)", ""},
    {IdleClass::kDeviceQueue, "device_queue", "launched, waiting (dependency or other work)", ""},
    {IdleClass::kSyncCall, "sync_call", "host in a CUDA sync", kFindings},
    {IdleClass::kCopyCall, "copy_call", "host in a blocking copy", kFindings},
    {IdleClass::kAllocationCall, "allocation_call", "host in a CUDA allocation", kFindings},
    {IdleClass::kModuleLoad, "module_load", "host loading code or making a context", ""},
    {IdleClass::kLaunchCall, "launch_call", "host in a launch or other CUDA call", ""},
    {IdleClass::kRunnable, "cpu_contention", "host thread ready, no core free", kFindings},
    {IdleClass::kPageFault, "page_fault", "host in a page fault or mm lock", kFindings},
    {IdleClass::kBlockIo, "block_io", "host waiting for a disk", kFindings},
    {IdleClass::kNetwork, "network", "host waiting for the network", kFindings},
    {IdleClass::kLock, "lock", "host waiting for a lock", kStacks},
    {IdleClass::kDataLoader, "data_loader", "host waiting for the data loader", kFindings},
    {IdleClass::kHandOver, "hand_over", "host waiting for another process or thread", kChains},
    {IdleClass::kSleep, "sleep", "host thread asleep (timer or poll)", kStacks},
    {IdleClass::kPythonOnCpu, "python_on_cpu", "host on a core in Python/framework", kStacks},
    {IdleClass::kNativeOnCpu, "host_on_cpu", "host on a core", kStacks},
    {IdleClass::kOffCpuUnknown, "off_cpu_unknown", "host off a core, reason not recorded", kRecord},
    {IdleClass::kHostCode, "host_code", "host in Python/framework (core use not recorded)",
     kRecord},
    {IdleClass::kStartUp, "start_up", "before the first operation", ""},
    {IdleClass::kEndOfTrace, "end_of_trace", "nothing followed", ""},
    {IdleClass::kHostUnobserved, "host_not_observed", "host, not observed", kRecord},
}};

}  // namespace

std::span<const IdleClassInfo> AllIdleClasses() {
  return kClasses;
}

const IdleClassInfo& InfoOf(IdleClass idle_class) {
  return kClasses[static_cast<size_t>(idle_class)];
}

}  // namespace gpuwhy
