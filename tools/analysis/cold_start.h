// SPDX-License-Identifier: Apache-2.0
// Slow first calls: contexts, lazy module loads, first use of a kernel. A call is cold when it took
// 20 times the median of its name and 1 ms, soon after the first call of its process, and such
// calls do not come back later.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

struct ColdCalls {
  int64_t process_id = 0;
  int64_t name_id = 0;
  int64_t threshold_ns = 0;  // at least this long
  int64_t until_ns = 0;      // and begun before this
  int64_t median_ns = 0;
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t first_ns = 0;  // starts of the first and the last
  int64_t last_ns = 0;
  int64_t slowest_ns = 0;
  int64_t slowest_id = 0;   // api_call row
  int64_t later_count = 0;  // as slow, but later
};

// How long after its first call a process may be starting up.
int64_t ColdTime(const Window& window);

// When calls were cold: start-up, which no finding may count as lost.
Result<const Intervals*> ColdTimes(const TraceFacts& facts);

// One per process and name, the most expensive first.
Result<const std::vector<ColdCalls>*> FindColdCalls(const TraceFacts& facts);

}  // namespace gpuwhy
