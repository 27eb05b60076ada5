// SPDX-License-Identifier: Apache-2.0
// What the host did in an interval, in the terms of findings: how long a thread was off its core,
// which worker processes lived and how much they ran, how loaded the CPUs were. Everything says
// whether it was observed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

struct OffCpuTime {
  bool is_known = false;  // scheduling of the thread was recorded
  int64_t wait_count = 0;
  int64_t total_ns = 0;  // clipped to the interval
  int64_t longest_ns = 0;
  std::optional<int64_t> runnable_ns;  // unset when the recorder did not tell it apart
  int64_t longest_id = 0;              // off_cpu row
};

Result<OffCpuTime> OffCpuWithin(const TraceFacts& facts, int64_t thread_id, Interval interval);
std::string OffCpuSql(int64_t thread_id, Interval interval);

struct Worker {
  int64_t process_id = 0;
  int64_t pid = 0;
  Interval life;  // within the interval asked for
  // Of the main thread, over its whole life; exact, stored as rows or not.
  int64_t wait_count = 0;
  int64_t off_cpu_ns = 0;
  int64_t longest_ns = 0;
  bool is_known = false;
};

// Children of a process that lived through at least half of the interval.
Result<std::vector<Worker>> WorkersIn(const TraceFacts& facts, int64_t parent_id,
                                      Interval interval);
std::string WorkersSql(const std::vector<Worker>& workers);

struct CpuLoad {
  int64_t sample_count = 0;
  double min_pct = 0;
  double max_pct = 0;
  double mean_pct = 0;
};
Result<CpuLoad> CpuLoadIn(const TraceFacts& facts, Interval interval);

struct LongWait {
  int64_t thread_id = 0;
  int64_t duration_ns = 0;
};
// Longest waits of at least a second of the process, its threads and its children that have the
// shape of a time-out.
Result<std::vector<LongWait>> TimeoutShapedWaits(const TraceFacts& facts, int64_t process_id);

}  // namespace gpuwhy
