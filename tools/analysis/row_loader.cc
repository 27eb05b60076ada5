// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/row_loader.h"

#include <algorithm>
#include <limits>

#include "tools/analysis/reserve_rows.h"
#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

// Ids of small tables; a damaged database may hold anything, which then counts as unknown.
int32_t SmallId(const Row& row, int column) {
  const int64_t id = row.Int(column);
  return id < 0 || id > std::numeric_limits<int32_t>::max() ? 0 : static_cast<int32_t>(id);
}

int64_t Correlation(const Row& row, int column) {
  return row.IsNull(column) ? kNoCorrelation : row.Int(column);
}

OpKind KindOfOp(std::string_view text) {
  if (text == "kernel") return OpKind::kKernel;
  if (text == "memcpy") return OpKind::kMemcpy;
  if (text == "memset") return OpKind::kMemset;
  return text == "graph" ? OpKind::kGraph : OpKind::kSync;
}

struct CallTraits {
  CallKind kind;
  bool is_kernel_launch;
};

CallTraits TraitsOf(std::string_view name) {
  return {KindOfCall(name), IsKernelLaunch(name)};
}

template <typename T>
void SortByStart(std::vector<T>& rows) {
  const auto by_start = [](const T& a, const T& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.id < b.id;
  };
  if (!std::is_sorted(rows.begin(), rows.end(), by_start)) {
    std::sort(rows.begin(), rows.end(), by_start);
  }
}

// Ids count up from 1, so the last one is the number of rows.
template <typename T>
Status ReserveFor(const TraceDb& db, std::string_view last_id, const Window& window,
                  std::vector<T>& rows) {
  if (!window.IsWholeTrace()) return {};
  GPUWHY_ASSIGN_OR_RETURN(const int64_t count, db.QueryInt(last_id));
  ReserveRows(rows, count);
  return {};
}

}  // namespace

Result<std::vector<DeviceOp>> LoadDeviceOps(const TraceDb& db, const Names& names,
                                            const Window& window) {
  std::vector<DeviceOp> ops;
  GPUWHY_RETURN_IF_ERROR(ReserveFor(db, "SELECT max(id) FROM gpu_op", window, ops));
  NameMemo<KernelClass> classes(names, &ClassOfKernel);
  const auto on_row = [&](const Row& row) {
    const OpKind kind = KindOfOp(row.Text(2));
    if (kind == OpKind::kSync) return;
    DeviceOp op = {.start_ns = row.Int(0),
                   .end_ns = EndOf(row.Int(0), row.Int(1)),
                   .correlation_id = Correlation(row, 3),
                   .stream = row.Int(4),
                   .id = row.Int(5),
                   .name_id = SmallId(row, 6),
                   .process_id = SmallId(row, 7),
                   .gpu_id = SmallId(row, 8),
                   .kind = kind};
    op.kernel_class = classes.Get(op.name_id);
    ops.push_back(op);
  };
  GPUWHY_RETURN_IF_ERROR(Scan(db,
                              {.table = "gpu_op",
                               .columns = "start_ns, duration_ns, kind, correlation_id, stream, "
                                          "id, name_id, process_id, gpu_id",
                               .window = window},
                              on_row));
  GPUWHY_RETURN_IF_ERROR(classes.status());
  SortByStart(ops);
  return ops;
}

Result<std::vector<HostCall>> LoadHostCalls(const TraceDb& db, const Names& names,
                                            const Window& window) {
  std::vector<HostCall> calls;
  GPUWHY_RETURN_IF_ERROR(ReserveFor(db, "SELECT max(id) FROM api_call", window, calls));
  NameMemo<CallTraits> traits(names, &TraitsOf);
  const auto on_row = [&](const Row& row) {
    HostCall call = {.start_ns = row.Int(0),
                     .end_ns = EndOf(row.Int(0), row.Int(1)),
                     .correlation_id = Correlation(row, 2),
                     .bytes = row.Int(3),
                     .id = row.Int(4),
                     .name_id = SmallId(row, 5),
                     .thread_id = SmallId(row, 6),
                     .is_child = !row.IsNull(7),
                     .is_pageable = row.Text(8) == "pageable"};
    const CallTraits call_traits = traits.Get(call.name_id);
    call.kind = call_traits.kind;
    call.is_kernel_launch = call_traits.is_kernel_launch;
    calls.push_back(call);
  };
  GPUWHY_RETURN_IF_ERROR(Scan(db,
                              {.table = "api_call",
                               .columns = "start_ns, duration_ns, correlation_id, bytes, id, "
                                          "name_id, thread_id, parent_id, host_memory",
                               .window = window},
                              on_row));
  GPUWHY_RETURN_IF_ERROR(traits.status());
  SortByStart(calls);
  return calls;
}

}  // namespace gpuwhy
