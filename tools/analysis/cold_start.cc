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

// Calls of one name in one process.
struct Group {
  std::vector<int64_t> durations_ns;
  ColdCalls cold;
};

class Groups {
 public:
  Group& Of(const HostCall& call) {
    const Key key = {call.process_id, call.name_id};
    if (last_ == nullptr || key != last_key_) {
      last_key_ = key;
      last_ = &groups_[key];
    }
    return *last_;
  }
  auto begin() { return groups_.begin(); }
  auto end() { return groups_.end(); }

 private:
  using Key = std::pair<int32_t, int32_t>;  // process, name

  std::map<Key, Group> groups_;
  Key last_key_;
  Group* last_ = nullptr;
};

void SetThreshold(Group& group) {
  std::vector<int64_t>& values = group.durations_ns;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  group.cold.median_ns = *middle;
  group.cold.threshold_ns = std::max(kTimesMedian * *middle, kSlowNs);
}

void AddSlow(const HostCall& call, ColdCalls& cold) {
  if (call.start_ns >= cold.until_ns) {
    ++cold.later_count;
    return;
  }
  const int64_t duration_ns = call.end_ns - call.start_ns;
  if (cold.count == 0) cold.first_ns = call.start_ns;
  ++cold.count;
  cold.last_ns = call.start_ns;
  cold.total_ns += duration_ns;
  if (duration_ns <= cold.slowest_ns) return;
  cold.slowest_ns = duration_ns;
  cold.slowest_id = call.id;
}

Groups GroupCalls(const std::vector<HostCall>& calls, int64_t cold_ns) {
  Groups groups;
  std::map<int32_t, int64_t> first_ns;  // by process
  for (const HostCall& call : calls) {
    if (call.is_child) continue;
    Group& group = groups.Of(call);
    if (group.durations_ns.empty()) {
      const int64_t begin_ns = first_ns.try_emplace(call.process_id, call.start_ns).first->second;
      group.cold = {
          .process_id = call.process_id, .name_id = call.name_id, .until_ns = begin_ns + cold_ns};
    }
    group.durations_ns.push_back(call.end_ns - call.start_ns);
  }
  return groups;
}

Result<std::vector<ColdCalls>> MakeColdCalls(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  Groups groups = GroupCalls(*calls, ColdTime(facts.window()));
  for (auto& [key, group] : groups)
    SetThreshold(group);
  for (const HostCall& call : *calls) {
    const int64_t duration_ns = call.end_ns - call.start_ns;
    if (call.is_child || duration_ns < kSlowNs) continue;
    ColdCalls& cold = groups.Of(call).cold;
    if (duration_ns >= cold.threshold_ns) AddSlow(call, cold);
  }
  std::vector<ColdCalls> found;
  for (const auto& [key, group] : groups) {
    const ColdCalls& cold = group.cold;
    const bool is_habit = cold.later_count * kLaterRatio > cold.count;
    if (group.durations_ns.size() < kFewestCalls || cold.count == 0 || is_habit) continue;
    found.push_back(cold);
  }
  std::sort(found.begin(), found.end(),
            [](const ColdCalls& a, const ColdCalls& b) { return a.total_ns > b.total_ns; });
  return found;
}

Result<Intervals> MakeColdTimes(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<ColdCalls>* all, FindColdCalls(facts));
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  std::map<std::pair<int64_t, int64_t>, const ColdCalls*> cold_of;
  for (const ColdCalls& cold : *all)
    cold_of[{cold.process_id, cold.name_id}] = &cold;
  std::vector<Interval> times;
  for (const HostCall& call : *calls) {
    if (call.is_child || call.end_ns - call.start_ns < kSlowNs) continue;
    const auto cold = cold_of.find({call.process_id, call.name_id});
    if (cold == cold_of.end() || call.start_ns >= cold->second->until_ns) continue;
    if (call.end_ns - call.start_ns < cold->second->threshold_ns) continue;
    times.push_back({call.start_ns, call.end_ns});
  }
  return Normalize(std::move(times));
}

}  // namespace

int64_t ColdTime(const Window& window) {
  return std::min(kColdNs, window.duration_ns() / 4);
}

Result<const std::vector<ColdCalls>*> FindColdCalls(const TraceFacts& facts) {
  return facts.Once(&MakeColdCalls);
}

Result<const Intervals*> ColdTimes(const TraceFacts& facts) {
  return facts.Once(&MakeColdTimes);
}

}  // namespace gpuwhy
