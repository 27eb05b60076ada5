// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/calls_of_name.h"

#include <algorithm>
#include <map>
#include <vector>

#include "schema/base/text.h"
#include "tools/analysis/cold_start.h"

namespace gpuwhy {
namespace {

struct Call {
  int64_t id = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};

Result<std::vector<Call>> Load(const TraceFacts& facts, std::string_view name) {
  std::vector<Call> calls;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT c.id, c.start_ns, c.duration_ns FROM api_call c JOIN name n ON n.id = c.name_id "
      "WHERE n.text = ?1 AND c.start_ns >= ?2 AND c.start_ns < ?3 ORDER BY c.start_ns",
      {name, facts.window().start_ns, facts.window().end_ns}, [&](const Row& row) {
        calls.push_back({.id = row.Int(0), .start_ns = row.Int(1), .duration_ns = row.Int(2)});
      }));
  return calls;
}

void Summarize(const std::vector<Call>& calls, int64_t slow_ns, CallsOfName& sum) {
  std::vector<int64_t> durations_ns;
  durations_ns.reserve(calls.size());
  for (const Call& call : calls)
    durations_ns.push_back(call.duration_ns);
  const auto middle = durations_ns.begin() + static_cast<std::ptrdiff_t>(durations_ns.size() / 2);
  std::nth_element(durations_ns.begin(), middle, durations_ns.end());
  for (const Call& call : calls) {
    sum.total_ns += call.duration_ns;
    const int64_t excess_ns = std::max<int64_t>(call.duration_ns - *middle, 0);
    sum.excess_ns += excess_ns;
    if (call.start_ns < sum.cold_until_ns) sum.cold_excess_ns += excess_ns;
    if (call.duration_ns >= slow_ns) sum.last_slow_ns = call.start_ns;
    if (call.duration_ns <= sum.slowest_ns) continue;
    sum.slowest_ns = call.duration_ns;
    sum.slowest_start_ns = call.start_ns;
    sum.slowest_id = call.id;
  }
  sum.first_ns = calls.front().start_ns;
  sum.last_ns = calls.back().start_ns;
}

Status AddRollUps(const TraceFacts& facts, std::string_view name, CallsOfName& sum) {
  return facts.db().Query(
      "SELECT coalesce(sum(l.event_count), 0), coalesce(sum(l.sum_ns), 0) FROM latency l JOIN name "
      "n ON n.id = l.name_id WHERE l.source = 'api_call' AND n.text = ?1",
      {name}, [&](const Row& row) {
        sum.counted_count = std::max(sum.stored_count, row.Int(0));
        sum.total_ns = std::max(sum.total_ns, row.Int(1));
      });
}

Status AddSizeFit(const TraceFacts& facts, std::string_view name, CallsOfName& sum) {
  std::map<std::string, std::vector<rules::SizeSample>> kinds;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT c.copy_kind, c.bytes, c.duration_ns FROM api_call c JOIN name n ON n.id = c.name_id "
      "WHERE n.text = ?1 AND c.copy_kind IS NOT NULL AND c.bytes IS NOT NULL AND c.start_ns >= ?2 "
      "AND c.start_ns < ?3",
      {name, facts.window().start_ns, facts.window().end_ns}, [&](const Row& row) {
        kinds[CleanText(row.Text(0), 8)].push_back(
            {.bytes = row.Int(1), .duration_ns = row.Int(2)});
      }));
  const std::vector<rules::SizeSample>* most = nullptr;
  for (const auto& [kind, samples] : kinds) {
    if (most != nullptr && samples.size() <= most->size()) continue;
    most = &samples;
    sum.copy_kind = kind;
  }
  if (most != nullptr) sum.copy_fit = rules::FitBySize(*most);
  return {};
}

}  // namespace

Result<CallsOfName> FindCallsOfName(const TraceFacts& facts, std::string_view name,
                                    int64_t slow_ns) {
  CallsOfName sum;
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<Call> calls, Load(facts, name));
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* all, facts.HostCalls());
  sum.stored_count = static_cast<int64_t>(calls.size());
  for (const HostCall& call : *all) {
    if (call.kind == CallKind::kLaunch) sum.last_launch_ns = call.start_ns;
  }
  if (!all->empty()) sum.cold_until_ns = all->front().start_ns + ColdTime(facts.window());
  if (!calls.empty()) Summarize(calls, slow_ns, sum);
  GPUWHY_RETURN_IF_ERROR(AddRollUps(facts, name, sum));
  GPUWHY_RETURN_IF_ERROR(AddSizeFit(facts, name, sum));
  return sum;
}

}  // namespace gpuwhy
