// SPDX-License-Identifier: Apache-2.0
// Busy time of devices divided by what they did (F6-F8): unions per class, communication that no
// computation hides, and totals per kernel name. Pure: works on loaded rows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tools/analysis/intervals.h"
#include "tools/analysis/rows.h"

namespace gpuwhy {

// Lengths of unions per device, added over devices; classes may overlap each other.
struct ActivitySplit {
  std::array<int64_t, kKernelClassCount> class_ns{};
  std::array<int64_t, kKernelClassCount> class_sum_ns{};  // durations added, overlap counted twice
  std::array<int64_t, kKernelClassCount> class_count{};
  int64_t span_ns = 0;  // first start to last end
  int64_t busy_ns = 0;
  int64_t comm_overlapped_ns = 0;  // communication while computation ran

  int64_t of(KernelClass kernel_class) const { return class_ns[static_cast<size_t>(kernel_class)]; }
  int64_t idle_ns() const { return span_ns - busy_ns; }
  int64_t non_compute_ns() const { return busy_ns - of(KernelClass::kCompute); }
  int64_t comm_exposed_ns() const { return of(KernelClass::kComm) - comm_overlapped_ns; }
};

// `ops` ascending by start; parts outside `window` do not count.
ActivitySplit SplitActivity(const std::vector<DeviceOp>& ops, Interval window);

// Durations are those of the operations, not clipped.
struct OpStats {
  int32_t name_id = 0;
  KernelClass kernel_class = KernelClass::kCompute;
  int64_t call_count = 0;
  int64_t total_ns = 0;
  int64_t max_ns = 0;
  int64_t p99_ns = 0;  // nearest rank
};

// Largest total first.
std::vector<OpStats> StatsByName(const std::vector<DeviceOp>& ops);

}  // namespace gpuwhy
