// SPDX-License-Identifier: Apache-2.0
// All calls of one name in a trace, summed up for a verdict on their tail: where the slow ones lie,
// what they cost, and whether size explains them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/analysis/rules.h"
#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

struct CallsOfName {
  int64_t stored_count = 0;
  int64_t counted_count = 0;  // stored or not
  int64_t total_ns = 0;       // of all that were counted
  int64_t first_ns = 0;       // starts of the first and the last
  int64_t last_ns = 0;
  int64_t last_launch_ns = 0;  // start of the last launch or copy in the trace
  int64_t slowest_ns = 0;
  int64_t slowest_start_ns = 0;
  int64_t slowest_id = 0;      // api_call row
  int64_t last_slow_ns = 0;    // start of the last call of at least `slow_ns`
  int64_t cold_until_ns = 0;   // when start-up of the process is surely over
  int64_t excess_ns = 0;       // sum of time above the median
  int64_t cold_excess_ns = 0;  // the part before cold_until_ns
  rules::SizeFit copy_fit;     // of copies of the most frequent kind
  std::string copy_kind;       // H2D, ...; from a fixed set
};

Result<CallsOfName> FindCallsOfName(const TraceFacts& facts, std::string_view name,
                                    int64_t slow_ns);

}  // namespace gpuwhy
