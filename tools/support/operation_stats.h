// SPDX-License-Identifier: Apache-2.0
// Duration statistics per operation: exactly, from the rows of a window, or from the roll-ups,
// which count every event, stored or not, with percentiles within 1 %. Events belong to a window by
// their start. Pure functions of one handle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/support/window.h"

namespace gpuwhy {

struct OperationStats {
  std::string_view source;  // api_call, gpu_op, off_cpu, host_event or range
  std::string name;         // raw: clean it before it enters a sentence
  int64_t event_count = 0;
  int64_t stored_count = 0;
  int64_t nested_count = 0;  // rows only: calls made inside another call
  int64_t nested_ns = 0;
  int64_t sum_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  int64_t sum_bytes = 0;
  std::optional<int64_t> p50_ns;  // absent when the recorder kept no histogram
  std::optional<int64_t> p95_ns;
  std::optional<int64_t> p99_ns;
};

struct StatsRequest {
  const TraceDb& db;
  Window window;
  std::vector<int64_t> process_ids = {};  // empty = all
};

// Tables that hold events, in the order in which answers show them.
inline constexpr std::string_view kEventSources[] = {"api_call", "gpu_op", "off_cpu", "host_event",
                                                     "range"};

// Rows in the window, counted up to `limit`: at 10 M rows a full count costs more than the answer.
Result<int64_t> CountRows(const StatsRequest& request, int64_t limit);

Result<std::vector<OperationStats>> StatsOfRows(const StatsRequest& request);

struct RollUpStats {
  std::vector<OperationStats> operations;
  int64_t start_ns = 0;  // the buckets that overlap the window reach from here ...
  int64_t end_ns = 0;    // ... to here
  int64_t width_ns = 0;  // of the widest bucket
  bool has_histograms = false;
};

// With `with_percentiles` false histograms are not read, which is much faster.
Result<RollUpStats> StatsOfRollUps(const StatsRequest& request, bool with_percentiles);

}  // namespace gpuwhy
