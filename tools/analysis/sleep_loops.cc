// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/sleep_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schema/base/text.h"

namespace gpuwhy {

Result<std::vector<ThreadSleep>> SleepLoopsOf(const TraceFacts& facts) {
  std::map<int64_t, std::vector<int64_t>> waits;
  GPUWHY_RETURN_IF_ERROR(facts.db().Query(
      "SELECT thread_id, duration_ns FROM off_cpu WHERE start_ns < ?2 AND start_ns + duration_ns > "
      "?1 AND reason IN ('sleep', 'timer', 'unknown')",
      {facts.window().start_ns, facts.window().end_ns},
      [&](const Row& row) { waits[row.Int(0)].push_back(row.Int(1)); }));
  std::vector<ThreadSleep> sleeps;
  for (const auto& [thread_id, durations_ns] : waits) {
    const ProcessInfo* process = facts.actors().ProcessOfThread(thread_id);
    if (process == nullptr || !facts.scope().HasProcess(process->id)) continue;
    const rules::SleepLoop loop = rules::FindSleepLoop(durations_ns);
    if (loop.is_loop) sleeps.push_back({.thread_id = thread_id, .loop = loop});
  }
  std::sort(sleeps.begin(), sleeps.end(), [](const ThreadSleep& a, const ThreadSleep& b) {
    return a.loop.total_ns > b.loop.total_ns;
  });
  return sleeps;
}

std::string DescribeSleep(const TraceFacts& facts, const ThreadSleep& sleep) {
  return fmt::format("{} sleeps voluntarily: {} waits of {}, {} in all",
                     facts.actors().DescribeThread(sleep.thread_id),
                     FormatCount(sleep.loop.wait_count), FormatDuration(sleep.loop.typical_ns),
                     FormatDuration(sleep.loop.total_ns));
}

}  // namespace gpuwhy
