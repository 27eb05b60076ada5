// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/collectors.h"

#include <fmt/format.h>

namespace gpuwhy {
namespace {

constexpr std::array<CollectorInfo, kCollectorCount> kCollectors = {{
    {Collector::kGpuOp, "gpu_op", "device operations", "import a torch.profiler trace of the run"},
    {Collector::kApiCall, "api_call", "CUDA calls",
     "record with gpuwhy trace, or import a trace that has them"},
    {Collector::kQueuedWork, "queued_work", "work queued for the device",
     "record every call with gpuwhy trace"},
    {Collector::kRange, "range", "framework and NVTX ranges",
     "import a torch.profiler trace or annotate with NVTX"},
    {Collector::kOffCpu, "off_cpu", "kernel scheduling",
     "record with gpuwhy trace: switches with reason and waker"},
    {Collector::kHostEvent, "host_event", "faults, disk and process events",
     "record with gpuwhy trace"},
    {Collector::kSample, "sample", "stack samples", "record with gpuwhy trace: it samples stacks"},
    {Collector::kCounter, "counter_value", "system and device counters",
     "record with gpuwhy trace"},
    {Collector::kLatency, "latency", "exact roll-ups", "record with gpuwhy trace"},
    {Collector::kForeignFinding, "foreign_finding", "conclusions of another tool", ""},
}};

}  // namespace

std::span<const CollectorInfo> AllCollectors() {
  return kCollectors;
}

const CollectorInfo& InfoOf(Collector collector) {
  return kCollectors[static_cast<size_t>(collector)];
}

Result<Presence> Presence::Load(const TraceDb& db) {
  Presence presence;
  for (const CollectorInfo& info : kCollectors) {
    GPUWHY_ASSIGN_OR_RETURN(
        const int64_t has_rows,
        db.QueryInt(fmt::format("SELECT EXISTS (SELECT 1 FROM {})", info.table)));
    presence.has_[static_cast<size_t>(info.collector)] = has_rows != 0;
  }
  return presence;
}

std::string Presence::MissingText(Collector collector) {
  const CollectorInfo& info = InfoOf(collector);
  return fmt::format("no {} rows ({}): {}", info.label, info.table, info.how_to_get);
}

}  // namespace gpuwhy
