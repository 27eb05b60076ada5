// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/cpu_rows.h"

#include "collectors/nsys/losses.h"
#include "collectors/nsys/stacks.h"

namespace gpuwhy::nsys {
namespace {

constexpr int64_t kStateRunning = 1;  // ENUM_SAMPLING_THREAD_STATE

}  // namespace

Status CpuRows::Convert() {
  GPUWHY_RETURN_IF_ERROR(ConvertSwitches());
  return ConvertSamples();
}

Status CpuRows::ConvertSwitches() {
  GPUWHY_RETURN_IF_ERROR(conversion_.EachRow("SCHED_EVENTS",
                                             {"start", "isSchedIn", "globalTid", "threadState"},
                                             [&](const Row& row) { AddSwitch(row); }));
  if (!away_.empty())
    conversion_.recorder().Count(kSwitchAlone, static_cast<int64_t>(away_.size()));
  return {};
}

// The export says why a thread left only where it was still running: somebody took its core.
void CpuRows::AddSwitch(const Row& row) {
  if (row.IsNull(2)) return conversion_.recorder().Count(kThreadMissing);
  const auto time_ns = conversion_.TimeOf(row, 0);
  if (!time_ns) return;
  const int64_t thread = conversion_.actors().Thread(row.Int(2));
  if (row.Int(1) == 0) {
    const bool is_preempted = row.Int(3) == kStateRunning;
    away_[thread] = {.time_ns = *time_ns, .reason = is_preempted ? "preempted" : "unknown"};
    return;
  }
  const auto left = away_.find(thread);
  if (left == away_.end() || left->second.time_ns > *time_ns)
    return conversion_.recorder().Count(kSwitchAlone);
  OffCpuRow wait{.start_ns = left->second.time_ns,
                 .duration_ns = *time_ns - left->second.time_ns,
                 .thread_id = thread};
  wait.reason = left->second.reason;
  if (wait.reason == "preempted") wait.runnable_ns = wait.duration_ns;
  conversion_.recorder().Add(wait);
  away_.erase(left);
}

Status CpuRows::ConvertSamples() {
  if (!conversion_.file().tables().Has("COMPOSITE_EVENTS")) return {};
  Stacks stacks(conversion_);
  GPUWHY_RETURN_IF_ERROR(stacks.Read("SAMPLING_CALLCHAINS"));
  return conversion_.EachRow("COMPOSITE_EVENTS", {"id", "start", "globalTid"}, [&](const Row& row) {
    if (row.IsNull(2)) return conversion_.recorder().Count(kThreadMissing);
    const auto time_ns = conversion_.TimeOf(row, 1);
    if (!time_ns) return;
    const OptionalId callsite = stacks.Find(row.Int(0));
    if (!callsite) return conversion_.recorder().Count(kSampleWithoutStack);
    conversion_.recorder().AddSample(*time_ns, conversion_.actors().Thread(row.Int(2)), *callsite);
  });
}

}  // namespace gpuwhy::nsys
