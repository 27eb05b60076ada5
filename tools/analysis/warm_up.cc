// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/warm_up.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "tools/analysis/steps.h"

namespace gpuwhy {
namespace {

// A first call counts as slow above this multiple of the median of the later ones.
constexpr int64_t kSlowFactor = 5;
constexpr int64_t kSlowNs = 100'000;
constexpr int64_t kLargestShare = 4;  // warm-up ends within the first 1/4 of the trace

struct FirstCall {
  const HostCall* call = nullptr;
  std::vector<int64_t> later_ns;  // durations of the others of its name
};

// Whether a first call may end the warm-up, if its name is quick later.
bool IsCandidate(const HostCall& first, int64_t limit_ns) {
  return first.end_ns <= limit_ns &&
         (first.kind == CallKind::kModuleLoad || first.end_ns - first.start_ns >= kSlowNs);
}

bool IsSlowFirst(FirstCall& first) {
  if (first.call->kind == CallKind::kModuleLoad) return true;
  if (first.later_ns.empty()) return false;
  const auto middle = first.later_ns.begin() + static_cast<int64_t>(first.later_ns.size() / 2);
  std::nth_element(first.later_ns.begin(), middle, first.later_ns.end());
  return (first.call->end_ns - first.call->start_ns) / kSlowFactor > *middle;
}

int64_t LastSlowFirstCall(const std::vector<HostCall>& calls, const Window& window) {
  const int64_t limit_ns =
      window.trace_start_ns + (window.trace_end_ns - window.trace_start_ns) / kLargestShare;
  std::unordered_map<int32_t, FirstCall> candidates;
  std::unordered_set<int32_t> seen;
  for (const HostCall& call : calls) {
    if (seen.insert(call.name_id).second) {
      if (IsCandidate(call, limit_ns)) candidates[call.name_id].call = &call;
    } else if (const auto it = candidates.find(call.name_id); it != candidates.end()) {
      it->second.later_ns.push_back(call.end_ns - call.start_ns);
    }
  }
  int64_t end_ns = window.trace_start_ns;
  for (auto& [name_id, first] : candidates) {
    if (IsSlowFirst(first)) end_ns = std::max(end_ns, first.call->end_ns);
  }
  return end_ns;
}

}  // namespace

Result<WarmUp> FindWarmUpEnd(const TraceDb& db, const std::vector<HostCall>& calls,
                             const Window& window) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<Step> steps, LoadSteps(db));
  if (steps.size() > 1) return WarmUp{steps.front().end_ns, "end of the first step"};
  const int64_t end_ns = LastSlowFirstCall(calls, window);
  if (end_ns > window.trace_start_ns) return WarmUp{end_ns, "end of the last slow first call"};
  return WarmUp{window.trace_start_ns, "no slow first calls seen"};
}

}  // namespace gpuwhy
