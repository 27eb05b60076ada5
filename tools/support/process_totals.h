// SPDX-License-Identifier: Apache-2.0
// What each process and each thread did in a window, summed from the roll-ups, so that events count
// whether they were stored as rows or not. One handle, one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/support/window.h"

namespace gpuwhy {

struct Total {
  int64_t event_count = 0;
  int64_t sum_ns = 0;
  int64_t max_ns = 0;
  int64_t sum_bytes = 0;
};

struct CudaOperation {
  std::string name;  // raw
  bool is_driver = false;
  Total total;
};

struct ProcessTotals {
  int64_t process_id = 0;
  std::vector<CudaOperation> cuda_operations;  // ascending by name
  Total runtime_calls;                         // cuda*, hip*
  Total driver_calls;                          // cu*: most are made inside runtime calls
  Total gpu_ops;                               // without synchronisation records
  Total off_cpu;
  Total page_allocs;
  Total block_reads;
  Total block_writes;
  std::map<int64_t, Total> off_cpu_of_threads;  // by thread row
};

struct AllTotals {
  std::vector<ProcessTotals> processes;  // ascending by id
  int64_t start_ns = 0;                  // the buckets that overlap the window reach from here ...
  int64_t end_ns = 0;                    // ... to here
  int64_t width_ns = 0;                  // of the widest bucket; 0 without roll-ups
};

Result<AllTotals> LoadProcessTotals(const TraceDb& db, const Window& window);

// A wait of a whole multiple of 5 s, give or take what waking up costs: a poll or queue with a
// time-out, so a voluntary wait and no contention.
bool IsTimeoutShaped(int64_t wait_ns);

// Whether work of different processes overlapped in time on one device; with device records by
// those, else by CUDA calls, for which the device is unknown.
struct Sharing {
  bool is_shared = false;
  bool is_measured_on_device = false;
  int64_t first_process_id = 0;
  int64_t second_process_id = 0;
  int64_t first_overlap_ns = 0;  // when
};
Result<Sharing> FindSharing(const TraceDb& db, const Window& window);

}  // namespace gpuwhy
