// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/sync_costs.h"

#include <algorithm>

#include "tools/analysis/rules.h"

namespace gpuwhy {
namespace {

bool Blocks(const HostCall& call) {
  return call.kind == CallKind::kSync || call.kind == CallKind::kCopy || call.is_pageable;
}

// The device ran dry during the call, not before it: else the call found it idle.
bool RanDryDuring(const HostCall& call, const Intervals& idle) {
  const auto after = std::upper_bound(
      idle.begin(), idle.end(), call.end_ns,
      [](int64_t time_ns, const Interval& interval) { return time_ns < interval.start_ns; });
  return after != idle.begin() && std::prev(after)->start_ns >= call.start_ns &&
         std::prev(after)->end_ns > call.end_ns;
}

Result<bool> IsLoaderTime(const TraceFacts& facts, const HostCall& call, int64_t idle_ns) {
  GPUWHY_ASSIGN_OR_RETURN(const ThreadRecord* record, facts.RecordOf(call.thread_id));
  if (record == nullptr) return false;
  const Intervals& loader = record->states[static_cast<size_t>(IdleClass::kDataLoader)];
  return LengthWithin(loader, {call.end_ns, call.end_ns + idle_ns}) * 2 >= idle_ns;
}

}  // namespace

Result<SyncCosts> SyncCostsOf(const TraceFacts& facts, const IdlePicture& picture) {
  SyncCosts costs;
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  for (const HostCall& call : *calls) {
    if (call.is_child || !Blocks(call)) continue;
    ++costs.sync_count;
    costs.host_ns += call.end_ns - call.start_ns;
    const int64_t idle_ns = rules::IdleCausedBySync(call.end_ns, picture.idle);
    if (idle_ns == 0 || !RanDryDuring(call, picture.idle)) continue;
    GPUWHY_ASSIGN_OR_RETURN(const bool is_loader, IsLoaderTime(facts, call, idle_ns));
    if (is_loader) continue;
    costs.cost_ns += idle_ns;
    costs.drains.push_back({.call_id = call.id, .name_id = call.name_id, .idle_after_ns = idle_ns});
  }
  std::sort(costs.drains.begin(), costs.drains.end(),
            [](const Drain& a, const Drain& b) { return a.idle_after_ns > b.idle_after_ns; });
  return costs;
}

}  // namespace gpuwhy
