// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/worker_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/analysis/host_activity.h"
#include "tools/analysis/scan.h"
#include "tools/support/callsites.h"

namespace gpuwhy {
namespace {

// Main threads only: helpers of a worker mostly sleep.
std::vector<int64_t> MainThreadsOf(const Actors& actors, const std::vector<Worker>& workers) {
  std::vector<int64_t> ids;
  for (const Worker& worker : workers) {
    for (const ThreadInfo& thread : actors.threads()) {
      if (thread.process_id == worker.process_id && thread.tid == worker.pid) {
        ids.push_back(thread.id);
      }
    }
  }
  return ids;
}

std::string StatesSql(const std::vector<int64_t>& thread_ids, Interval interval) {
  return fmt::format(
      "SELECT coalesce(sum(part_ns), 0), coalesce(sum(ready_ns), 0), coalesce(sum(CASE WHEN reason "
      "IN ('io', 'fault') THEN part_ns - ready_ns ELSE 0 END), 0) FROM (SELECT reason, part_ns, "
      "CASE WHEN reason = 'preempted' THEN part_ns ELSE min(coalesce(runnable_ns, 0), part_ns) END "
      "AS ready_ns FROM (SELECT reason, runnable_ns, min(start_ns + duration_ns, {1}) - "
      "max(start_ns, {0}) AS part_ns FROM off_cpu NOT INDEXED WHERE thread_id IN ({2}) AND "
      "start_ns < {1} AND start_ns + duration_ns > {0}))",
      interval.start_ns, interval.end_ns, IdList(thread_ids));
}

// Of each distinct stack the frame that says most, and how often it was sampled.
constexpr const char* kTopFunctionSql =
    "WITH RECURSIVE s AS (SELECT callsite_id, sum(weight_count) AS weight FROM sample WHERE "
    "thread_id IN ({}) AND time_ns >= {} AND time_ns < {} GROUP BY 1), "
    "up (leaf, node, depth) AS (SELECT callsite_id, callsite_id, 0 FROM s UNION ALL SELECT leaf, "
    "c.parent_id, depth + 1 FROM up JOIN callsite c ON c.id = up.node WHERE c.parent_id IS NOT "
    "NULL AND depth < 200), "
    "best AS (SELECT leaf, f.function_name, row_number() OVER (PARTITION BY leaf ORDER BY "
    "f.kind = 'python' DESC, f.kind = 'native' DESC, depth) AS place FROM up JOIN callsite c ON "
    "c.id = up.node JOIN frame f ON f.id = c.frame_id) "
    "SELECT function_name, sum(weight) FROM best JOIN s ON s.callsite_id = leaf WHERE place = 1 "
    "GROUP BY 1 ORDER BY 2 DESC";

Status AddTopFunction(const TraceFacts& facts, const std::string& threads, WorkerStates& states) {
  int64_t total_count = 0;
  int64_t top_count = 0;
  std::string name;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      fmt::format(kTopFunctionSql, threads, facts.window().start_ns, facts.window().end_ns), {},
      [&](const Row& row) {
        if (total_count == 0) name = row.Text(0);
        if (total_count == 0) top_count = row.Int(1);
        total_count += row.Int(1);
      }));
  if (total_count == 0) return {};
  states.top_function = ShortFunctionName(name);
  states.top_function_ratio = static_cast<double>(top_count) / static_cast<double>(total_count);
  return {};
}

}  // namespace

Result<WorkerStates> WorkerStatesIn(const TraceFacts& facts, int64_t parent_id, Interval interval,
                                    const std::vector<int64_t>& only) {
  WorkerStates states;
  GPUWHY_ASSIGN_OR_RETURN(std::vector<Worker> workers, WorkersIn(facts, parent_id, interval));
  std::erase_if(workers, [&](const Worker& worker) {
    return !only.empty() && std::ranges::find(only, worker.process_id) == only.end();
  });
  const std::vector<int64_t> thread_ids = MainThreadsOf(facts.actors(), workers);
  if (thread_ids.empty()) return states;
  GPUWHY_RETURN_IF_ERROR(facts.LoadThreads(thread_ids));
  states.is_known = true;
  for (const int64_t thread_id : thread_ids) {
    GPUWHY_ASSIGN_OR_RETURN(const ThreadActivity* activity, facts.ActivityOf(thread_id));
    states.is_known = states.is_known && activity->is_known;
  }
  states.worker_count = static_cast<int64_t>(workers.size());
  for (const Worker& worker : workers)
    states.life_ns += worker.life.duration_ns();
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(StatesSql(thread_ids, interval), {}, [&](const Row& row) {
    states.off_core_ns = std::min(row.Int(0), states.life_ns);
    states.ready_ns = std::min(row.Int(1), states.off_core_ns);
    states.disk_ns = row.Int(2);
  }));
  GPUWHY_RETURN_IF_ERROR(AddTopFunction(facts, IdList(thread_ids), states));
  return states;
}

}  // namespace gpuwhy
