// SPDX-License-Identifier: Apache-2.0
// What gpuwhy trace was asked for, and what it means. Nothing is started or changed here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectors/ebpf/live_recording.h"
#include "schema/base/result.h"

namespace gpuwhy {

struct TraceOptions {
  std::vector<std::string> command;
  std::vector<pid_t> pids;
  std::string comm;
  std::string cgroup;
  std::string duration;
  std::string database;
  uint64_t buffer_mb = 16;
  uint64_t max_rows = 100'000;
  double stack_min_us = 1000;
  unsigned sample_hz = 49;
  uint64_t max_db_bytes = 0;       // 0: no limit
  double overhead_budget_pct = 0;  // 0: none
  bool as_json = false;
  bool is_quiet = false;
};

// The same, read and checked: every process and cgroup is there.
struct TracePlan {
  RecordingOptions recording;
  std::optional<std::chrono::nanoseconds> duration;
};
Result<TracePlan> MakeTracePlan(const TraceOptions& options);

}  // namespace gpuwhy
