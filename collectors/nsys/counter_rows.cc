// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/counter_rows.h"

#include <fmt/format.h>

#include "collectors/nsys/losses.h"
#include "schema/base/saturating.h"
#include "schema/base/text.h"

namespace gpuwhy::nsys {
namespace {

constexpr int64_t kMemoryPinned = 1;  // ENUM_CUDA_MEM_KIND
constexpr int64_t kMemoryDevice = 2;
constexpr int64_t kAllocate = 0;  // ENUM_CUDA_DEV_MEM_EVENT_OPER
constexpr int64_t kRelease = 1;

}  // namespace

Status CounterRows::Convert() {
  GPUWHY_RETURN_IF_ERROR(ReadMetricNames());
  GPUWHY_RETURN_IF_ERROR(ConvertMetrics());
  return ConvertAllocations();
}

Status CounterRows::ReadMetricNames() {
  return conversion_.EachRow(
      "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}, [&](const Row& row) {
        metrics_[{row.Int(0), row.Int(1)}] = fmt::format("gpu.{}", CleanText(row.Text(2)));
      });
}

const std::string& CounterRows::MetricName(const MetricKey& key) {
  std::string& name = metrics_[key];
  if (!name.empty()) return name;
  conversion_.recorder().Count(kMetricUnnamed);
  return name = fmt::format("gpu.metric {}", key.second);
}

// The lowest byte of the type is the device.
Status CounterRows::ConvertMetrics() {
  return conversion_.EachRow(
      "GPU_METRICS", {"timestamp", "typeId", "metricId", "value"}, [&](const Row& row) {
        const auto time_ns = conversion_.TimeOf(row, 0);
        if (!time_ns) return;
        const std::string& name = MetricName({row.Int(1), row.Int(2)});
        const bool is_share = name.find('%') != std::string::npos;
        conversion_.recorder().AddCounterValue(
            {.name = name,
             .unit = is_share ? "pct" : "count",
             .gpu_id = conversion_.actors().Gpu(std::nullopt, row.Int(1) & 0xFF)},
            *time_ns, row.Real(3));
      });
}

Status CounterRows::ConvertAllocations() {
  return conversion_.EachRow(
      "CUDA_GPU_MEMORY_USAGE_EVENTS",
      {"start", "globalPid", "deviceId", "bytes", "memKind", "memoryOperationType"},
      [&](const Row& row) {
        const int64_t kind = row.Int(4);
        const int64_t operation = row.Int(5);
        const bool is_known = (kind == kMemoryPinned || kind == kMemoryDevice) &&
                              (operation == kAllocate || operation == kRelease);
        if (!is_known) return conversion_.recorder().Count(kAllocationNotStored);
        const auto time_ns = conversion_.TimeOf(row, 0);
        if (!time_ns) return;
        const int64_t gpu = conversion_.actors().Gpu(row.OptionalInt(1), row.Int(2));
        int64_t& balance_bytes = balances_bytes_[{gpu, kind}];
        const int64_t bytes = operation == kAllocate ? row.Int(3) : -row.Int(3);
        balance_bytes = SaturatingAdd(balance_bytes, bytes);
        conversion_.recorder().AddCounterValue(
            {.name = kind == kMemoryDevice ? "gpu.memory_allocated_since_start_bytes"
                                           : "cpu.pinned_memory_allocated_since_start_bytes",
             .unit = "bytes",
             .gpu_id = gpu},
            *time_ns, static_cast<double>(balance_bytes));
      });
}

}  // namespace gpuwhy::nsys
