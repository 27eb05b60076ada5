// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/cold_start.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gpuwhy {
namespace {

constexpr int64_t kTimesMedian = 20;
constexpr int64_t kSlowNs = 1'000'000;
// Loading modules and creating contexts is over within seconds; in short traces, in a quarter.
constexpr int64_t kColdNs = 2'000'000'000;
constexpr size_t kFewestCalls = 3;
// One late slow call is an accident, more of them are a habit.
constexpr int64_t kLaterRatio = 10;

using Key = std::pair<int64_t, int64_t>;  // process, name

ColdCalls Judge(const std::vector<const HostCall*>& calls, int64_t until_ns) {
  std::vector<int64_t> durations_ns;
  durations_ns.reserve(calls.size());
  for (const HostCall* call : calls)
    durations_ns.push_back(call->end_ns - call->start_ns);
  const auto middle = durations_ns.begin() + static_cast<std::ptrdiff_t>(durations_ns.size() / 2);
  std::nth_element(durations_ns.begin(), middle, durations_ns.end());
  ColdCalls cold{.until_ns = until_ns, .median_ns = *middle};
  cold.threshold_ns = std::max(kTimesMedian * cold.median_ns, kSlowNs);
  for (const HostCall* call : calls) {
    const int64_t duration_ns = call->end_ns - call->start_ns;
    if (duration_ns < cold.threshold_ns) continue;
    if (call->start_ns >= until_ns) {
      ++cold.later_count;
      continue;
    }
    if (cold.count == 0) cold.first_ns = call->start_ns;
    ++cold.count;
    cold.last_ns = call->start_ns;
    cold.total_ns += duration_ns;
    if (duration_ns <= cold.slowest_ns) continue;
    cold.slowest_ns = duration_ns;
    cold.slowest_id = call->id;
  }
  return cold;
}

}  // namespace

int64_t ColdTime(const Window& window) {
  return std::min(kColdNs, window.duration_ns() / 4);
}

Result<std::vector<ColdCalls>> FindColdCalls(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  std::map<Key, std::vector<const HostCall*>> groups;
  std::map<int64_t, int64_t> first_ns;
  for (const HostCall& call : *calls) {
    first_ns.try_emplace(call.process_id, call.start_ns);
    if (!call.is_child) groups[{call.process_id, call.name_id}].push_back(&call);
  }
  const int64_t cold_ns = ColdTime(facts.window());
  std::vector<ColdCalls> found;
  for (const auto& [key, group] : groups) {
    if (group.size() < kFewestCalls) continue;
    ColdCalls cold = Judge(group, first_ns[key.first] + cold_ns);
    if (cold.count == 0 || cold.later_count * kLaterRatio > cold.count) continue;
    cold.process_id = key.first;
    cold.name_id = key.second;
    found.push_back(cold);
  }
  std::sort(found.begin(), found.end(),
            [](const ColdCalls& a, const ColdCalls& b) { return a.total_ns > b.total_ns; });
  return found;
}

Result<Intervals> ColdTimes(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<ColdCalls> all, FindColdCalls(facts));
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  std::map<Key, const ColdCalls*> cold_of;
  for (const ColdCalls& cold : all)
    cold_of[{cold.process_id, cold.name_id}] = &cold;
  std::vector<Interval> times;
  for (const HostCall& call : *calls) {
    if (call.is_child) continue;
    const auto cold = cold_of.find({call.process_id, call.name_id});
    if (cold == cold_of.end() || call.start_ns >= cold->second->until_ns) continue;
    if (call.end_ns - call.start_ns < cold->second->threshold_ns) continue;
    times.push_back({call.start_ns, call.end_ns});
  }
  return Normalize(std::move(times));
}

}  // namespace gpuwhy
