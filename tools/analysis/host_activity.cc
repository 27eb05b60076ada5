// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/host_activity.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/analysis/rules.h"

namespace gpuwhy {
namespace {

constexpr int64_t kLongWaitNs = 1'000'000'000;

Status CountWaits(const TraceFacts& facts, Worker& worker) {
  return facts.db().Query(
      "SELECT coalesce(sum(l.event_count), 0), coalesce(sum(l.sum_ns), 0), "
      "coalesce(max(l.max_ns), 0) FROM latency l LEFT JOIN thread t ON t.id = l.thread_id "
      "WHERE l.source = 'off_cpu' AND l.process_id = ?1 AND (t.id IS NULL OR t.tid = ?2)",
      {worker.process_id, worker.pid}, [&](const Row& row) {
        worker.wait_count = row.Int(0);
        worker.off_cpu_ns = row.Int(1);
        worker.longest_ns = row.Int(2);
        worker.is_known = worker.wait_count > 0;
      });
}

}  // namespace

std::string OffCpuSql(int64_t thread_id, Interval interval) {
  return fmt::format(
      "SELECT count(*) AS switches, coalesce(sum(min(start_ns + duration_ns, {1}) - max(start_ns, "
      "{0})), 0) AS off_cpu_ns, coalesce(max(duration_ns), 0) AS longest_ns, sum(runnable_ns) AS "
      "runnable_ns FROM off_cpu WHERE thread_id = {2} AND start_ns < {1} AND start_ns + "
      "duration_ns > {0}",
      interval.start_ns, interval.end_ns, thread_id);
}

Result<OffCpuTime> OffCpuWithin(const TraceFacts& facts, int64_t thread_id, Interval interval) {
  OffCpuTime time;
  if (thread_id == 0) return time;
  GPUWHY_ASSIGN_OR_RETURN(const ThreadActivity* activity, facts.ActivityOf(thread_id));
  time.is_known = activity->is_known;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(OffCpuSql(thread_id, interval), {}, [&](const Row& row) {
    time.wait_count = row.Int(0);
    time.total_ns = row.Int(1);
    time.longest_ns = row.Int(2);
    time.runnable_ns = row.OptionalInt(3);
  }));
  GPUWHY_ASSIGN_OR_RETURN(
      time.longest_id,
      facts.db().QueryInt("SELECT id FROM off_cpu WHERE thread_id = ?1 AND start_ns >= ?2 AND "
                          "start_ns < ?3 ORDER BY duration_ns DESC LIMIT 1",
                          {thread_id, interval.start_ns, interval.end_ns}));
  return time;
}

Result<std::vector<Worker>> WorkersIn(const TraceFacts& facts, int64_t parent_id,
                                      Interval interval) {
  std::vector<Worker> workers;
  for (const ProcessInfo* child : facts.actors().ChildrenOf(parent_id)) {
    Worker worker{.process_id = child->id, .pid = child->pid};
    worker.life.start_ns = std::max(child->start_ns.value_or(interval.start_ns), interval.start_ns);
    worker.life.end_ns = std::min(child->end_ns.value_or(interval.end_ns), interval.end_ns);
    if (worker.life.duration_ns() * 2 < interval.duration_ns()) continue;
    GPUWHY_RETURN_IF_ERROR(CountWaits(facts, worker));
    workers.push_back(worker);
  }
  return workers;
}

std::string WorkersSql(const std::vector<Worker>& workers) {
  std::string pids;
  std::string ids;
  for (const Worker& worker : workers) {
    pids += fmt::format("{}{}", pids.empty() ? "" : ", ", worker.pid);
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", worker.process_id);
  }
  return fmt::format(
      "SELECT sum(event_count) AS switches, sum(sum_ns) AS off_cpu_ns, max(max_ns) AS longest_ns "
      "FROM latencies WHERE source = 'off_cpu' AND process_id IN ({}) AND (tid IS NULL OR tid IN "
      "({}))",
      ids, pids);
}

Result<CpuLoad> CpuLoadIn(const TraceFacts& facts, Interval interval) {
  CpuLoad load;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT count(*), coalesce(min(v.value), 0), coalesce(max(v.value), 0), "
      "coalesce(avg(v.value), 0) FROM counter_value v JOIN counter c ON c.id = v.counter_id "
      "WHERE c.name = 'system.cpu_pct' AND v.time_ns >= ?1 AND v.time_ns < ?2",
      {interval.start_ns, interval.end_ns}, [&](const Row& row) {
        load = {.sample_count = row.Int(0),
                .min_pct = row.Real(1),
                .max_pct = row.Real(2),
                .mean_pct = row.Real(3)};
      }));
  return load;
}

Result<std::vector<LongWait>> TimeoutShapedWaits(const TraceFacts& facts, int64_t process_id) {
  std::vector<LongWait> waits;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT l.thread_id, max(l.max_ns) FROM latency l JOIN thread t ON t.id = l.thread_id JOIN "
      "process p ON p.id = t.process_id WHERE l.source = 'off_cpu' AND l.max_ns >= ?2 AND (p.id = "
      "?1 OR p.parent_id = ?1) GROUP BY l.thread_id ORDER BY 2 DESC",
      {process_id, kLongWaitNs}, [&](const Row& row) {
        if (rules::IsTimeoutShaped(row.Int(1))) {
          waits.push_back({.thread_id = row.Int(0), .duration_ns = row.Int(1)});
        }
      }));
  return waits;
}

}  // namespace gpuwhy
