// SPDX-License-Identifier: Apache-2.0
// How many events a window holds, per table and process, from the roll-ups: a few thousand rows
// where the events are millions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/support/window.h"

namespace gpuwhy {

struct EventTotal {
  int64_t event_count = 0;
  int64_t stored_count = 0;
  int64_t sum_ns = 0;
};

struct EventTotals {
  std::map<std::string, EventTotal> by_source;                      // api_call, gpu_op, ...
  std::map<int64_t, std::map<std::string, EventTotal>> by_process;  // process id 0 = unknown
  int64_t Stored(const std::string& source) const;
};

// Buckets that overlap the window count whole.
Result<EventTotals> LoadEventTotals(const TraceDb& db, const Window& window);

}  // namespace gpuwhy
