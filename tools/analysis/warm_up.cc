// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/warm_up.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "tools/analysis/steps.h"

namespace gpuwhy {
namespace {

// A first call counts as slow above this multiple of the median of the later ones.
constexpr int64_t kSlowFactor = 5;
constexpr int64_t kSlowNs = 100'000;
constexpr int64_t kLargestShare = 4;  // warm-up ends within the first 1/4 of the trace

bool IsSlowFirst(const HostCall& first, std::vector<int64_t>& later_ns) {
  const int64_t duration_ns = first.end_ns - first.start_ns;
  if (first.kind == CallKind::kModuleLoad) return true;
  if (duration_ns < kSlowNs || later_ns.empty()) return false;
  const auto middle = later_ns.begin() + static_cast<int64_t>(later_ns.size() / 2);
  std::nth_element(later_ns.begin(), middle, later_ns.end());
  return duration_ns / kSlowFactor > *middle;
}

struct CallsOfName {
  const HostCall* first = nullptr;
  std::vector<int64_t> later_ns;
};

int64_t LastSlowFirstCall(const std::vector<HostCall>& calls, const Window& window) {
  const int64_t limit_ns =
      window.trace_start_ns + (window.trace_end_ns - window.trace_start_ns) / kLargestShare;
  std::unordered_map<int32_t, CallsOfName> by_name;
  for (const HostCall& call : calls) {
    CallsOfName& of_name = by_name[call.name_id];
    if (of_name.first == nullptr) {
      of_name.first = &call;
    } else {
      of_name.later_ns.push_back(call.end_ns - call.start_ns);
    }
  }
  int64_t end_ns = window.trace_start_ns;
  for (auto& [name_id, of_name] : by_name) {
    if (of_name.first->end_ns <= limit_ns && IsSlowFirst(*of_name.first, of_name.later_ns)) {
      end_ns = std::max(end_ns, of_name.first->end_ns);
    }
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
