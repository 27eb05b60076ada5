// SPDX-License-Identifier: Apache-2.0
// Series of values: sampled GPU metrics (--gpu-metrics-devices) and the balance of CUDA allocations
// (--cuda-memory-usage). One thread.
#pragma once

#include <map>
#include <string>

#include "collectors/nsys/conversion.h"

namespace gpuwhy::nsys {

class CounterRows {
 public:
  explicit CounterRows(Conversion& conversion) : conversion_(conversion) {}
  Status Convert();

 private:
  using MetricKey = std::pair<int64_t, int64_t>;  // type (device and kind of metrics), number

  Status ReadMetricNames();
  Status ConvertMetrics();
  Status ConvertAllocations();
  const std::string& MetricName(const MetricKey& key);

  Conversion& conversion_;
  std::map<MetricKey, std::string> metrics_;
  std::map<std::pair<int64_t, int64_t>, int64_t> balances_bytes_;  // by device row and memory kind
};

}  // namespace gpuwhy::nsys
