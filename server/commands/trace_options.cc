// SPDX-License-Identifier: Apache-2.0
#include "server/commands/trace_options.h"

#include <fmt/format.h>

#include <bit>
#include <csignal>

#include "collectors/process/cgroup_directory.h"
#include "collectors/process/proc_status.h"
#include "schema/base/text.h"
#include "server/version.h"
#include "tools/support/time_span.h"

namespace gpuwhy {
namespace {

Status CheckProcess(pid_t pid) {
  if (pid <= 0 || !ReadStat(pid).ok()) {
    return NotFound(
        fmt::format("there is no process {}: ps or nvidia-smi list those that run", pid));
  }
  const auto owner = ReadProcessOfThread(pid);
  if (!owner.ok() || owner.value() == pid) return {};
  return InvalidArgument(
      fmt::format("{} is a thread of process {}: use --pid {}", pid, owner.value(), owner.value()));
}

Result<std::chrono::nanoseconds> DurationOf(const std::string& text) {
  const auto span_ns = ParseTimeSpan(text);
  if (span_ns && *span_ns > 0) return std::chrono::nanoseconds(*span_ns);
  return InvalidArgument(
      fmt::format("cannot read the duration {}: use 500ms, 60s, 5m or 1h", CleanText(text, 40)));
}

Result<ProbeSettings> ProbesOf(const TraceOptions& options) {
  constexpr uint64_t kMostBufferMb = 1024;
  if (!std::has_single_bit(options.buffer_mb) || options.buffer_mb > kMostBufferMb) {
    return InvalidArgument("--buffer-mb must be a power of two from 1 to 1024");
  }
  ProbeSettings probes;
  probes.ring_bytes = options.buffer_mb << 20U;
  probes.rows_per_cpu_second = options.max_rows;
  probes.stack_min_ns = static_cast<uint64_t>(options.stack_min_us * 1000);
  probes.sample_hz = options.sample_hz;
  return probes;
}

}  // namespace

Result<TracePlan> MakeTracePlan(const TraceOptions& options) {
  TracePlan plan;
  GPUWHY_ASSIGN_OR_RETURN(plan.recording.probes, ProbesOf(options));
  for (const pid_t pid : options.pids)
    GPUWHY_RETURN_IF_ERROR(CheckProcess(pid));
  plan.recording.pids = options.pids;
  plan.recording.comm = options.comm;
  plan.recording.max_db_bytes = static_cast<int64_t>(options.max_db_bytes);
  plan.recording.overhead_budget_pct = options.overhead_budget_pct;
  if (!options.cgroup.empty()) {
    GPUWHY_ASSIGN_OR_RETURN(const CgroupDirectory cgroup, FindCgroupDirectory(options.cgroup));
    plan.recording.cgroup = cgroup.path;
    plan.recording.probes.cgroup_id = cgroup.id;
  }
  if (!options.duration.empty()) {
    GPUWHY_ASSIGN_OR_RETURN(plan.duration, DurationOf(options.duration));
  }
  plan.recording.tool_version = fmt::format("gpuwhy {}", GPUWHY_VERSION);
  return plan;
}

}  // namespace gpuwhy
