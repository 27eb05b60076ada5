// SPDX-License-Identifier: Apache-2.0
// What was recorded of single threads: scheduling, faults, disk reads, ranges and CUDA calls.
// Loaded for several threads at once, each table in one pass.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/analysis/actors.h"
#include "tools/analysis/intervals.h"
#include "tools/analysis/ledger.h"
#include "tools/analysis/names.h"
#include "tools/analysis/rows.h"
#include "tools/support/window.h"

namespace gpuwhy {

// The time a thread did not run, from off_cpu rows clipped to the window.
struct ThreadActivity {
  int64_t thread_id = 0;
  // False: scheduling of this thread was not recorded, or too little of it was kept to tell.
  bool is_known = false;
  Intervals off_cpu;
  int64_t off_cpu_ns = 0;
  int64_t runnable_ns = 0;           // part of off_cpu_ns ready and waiting for a core
  int64_t switch_count = 0;          // rows that overlap the window
  int64_t counted_switch_count = 0;  // of the whole trace, stored or not; 0 when not rolled up
  int64_t counted_off_cpu_ns = 0;    // of the whole trace, stored or not
};

struct ThreadHistory {
  ThreadRecord record;
  ThreadActivity activity;
};

using ThreadHistories = std::unordered_map<int64_t, ThreadHistory>;

struct ThreadHistoryRequest {
  const TraceDb& db;
  const Names& names;
  const Actors& actors;
  Window window;
  std::vector<int64_t> thread_ids;
  const std::vector<HostCall>& calls;  // ascending by start
};

Result<ThreadHistories> LoadThreadHistories(const ThreadHistoryRequest& request);

// Names that mean making or waiting for the next batch: DataLoader, _next_data, dataloader.py.
bool IsDataLoaderName(std::string_view name);

}  // namespace gpuwhy
