// SPDX-License-Identifier: Apache-2.0
// Which ranges (operators, annotations, Python functions) enclosed a call: the stack of a trace
// that has no call stacks. One pass over the ranges serves any number of calls. One handle, one
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

// A call at one instant of one thread. `weight_ns` is what its group is ordered by: its own
// duration or that of the GPU work it launched.
struct CallPoint {
  int64_t start_ns = 0;
  int64_t thread_id = 0;
  int64_t name_id = 0;
  int64_t weight_ns = 0;
};

struct StackGroup {
  int64_t name_id = 0;                  // of the call
  std::vector<int64_t> range_name_ids;  // innermost first
  int64_t call_count = 0;
  int64_t sum_ns = 0;
  int64_t max_ns = 0;
};

// Groups the calls by name and by their innermost `depth` ranges, the heaviest group first.
Result<std::vector<StackGroup>> GroupByRanges(const TraceDb& db, std::vector<CallPoint> points,
                                              size_t depth);

}  // namespace gpuwhy
