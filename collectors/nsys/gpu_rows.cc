// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/gpu_rows.h"

#include <fmt/format.h>

#include <array>

#include "collectors/nsys/copy_names.h"
#include "collectors/nsys/losses.h"
#include "schema/base/saturating.h"

namespace gpuwhy::nsys {
namespace {

constexpr int64_t kNoStream = 0xFFFFFFFF;  // of waits for a whole context

// CUpti_ActivitySynchronizationType, in the words of PyTorch's profiler.
constexpr std::array<std::string_view, 5> kSyncNames = {"Sync", "Event Sync", "Stream Wait Event",
                                                        "Stream Sync", "Context Sync"};

std::string_view NameOfSync(int64_t type) {
  const bool is_known = type >= 0 && type < static_cast<int64_t>(kSyncNames.size());
  return kSyncNames.at(is_known ? static_cast<size_t>(type) : 0);
}

std::optional<int64_t> UnlessZero(std::optional<int64_t> id) {
  return id && *id != 0 ? id : std::nullopt;
}

}  // namespace

Status GpuRows::Convert() {
  GPUWHY_RETURN_IF_ERROR(ReadDeviceMap());
  GPUWHY_RETURN_IF_ERROR(ConvertKernels());
  GPUWHY_RETURN_IF_ERROR(ConvertCopies());
  GPUWHY_RETURN_IF_ERROR(ConvertMemsets());
  GPUWHY_RETURN_IF_ERROR(ConvertGraphs());
  return ConvertSyncs();
}

// TARGET_INFO_CUDA_DEVICE tells which device of the machine a process means by its number.
Status GpuRows::ReadDeviceMap() {
  return conversion_.EachRow("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"},
                             [&](const Row& row) {
                               if (row.IsNull(2)) return;
                               conversion_.actors().MapDevice(row.Int(0), row.Int(1), row.Int(2));
                             });
}

Status GpuRows::ConvertTable(std::string_view table, std::string_view kind,
                             std::vector<std::string_view> own_columns, const Fill& fill) {
  const int at = static_cast<int>(own_columns.size());
  for (const std::string_view column :
       {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"})
    own_columns.push_back(column);
  return conversion_.EachRow(table, own_columns, [&, at](const Row& row) {
    const auto span = conversion_.SpanOf(row, at);
    if (!span) return;
    GpuOpRow op{.start_ns = span->start_ns, .duration_ns = span->duration_ns};
    op.kind = kind;
    op.gpu_id = conversion_.actors().Gpu(row.OptionalInt(at + 6), row.Int(at + 2));
    op.process_id = conversion_.actors().Process(row.Int(at + 6));
    op.context_id = row.OptionalInt(at + 3);
    if (row.Int(at + 4) != kNoStream) op.stream = row.OptionalInt(at + 4);
    op.correlation_id = UnlessZero(row.OptionalInt(at + 5));
    fill(row, op);
    conversion_.recorder().Add(op);
  });
}

void GpuRows::SetGraphNode(const Row& row, int column, GpuOpRow& op) {
  op.graph_node_id = UnlessZero(row.OptionalInt(column));
  has_graph_nodes_ = has_graph_nodes_ || op.graph_node_id;
}

// The full name where there is one: short names of different kernels are equal.
int64_t GpuRows::KernelName(const Row& row) {
  for (int column = 0; column < 3; ++column) {
    if (const auto text = UnlessZero(row.OptionalInt(column))) return conversion_.NameOf(text);
  }
  return conversion_.NameOf(std::nullopt);
}

Status GpuRows::ConvertKernels() {
  return ConvertTable(
      "CUPTI_ACTIVITY_KIND_KERNEL", "kernel",
      {"demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX", "blockY",
       "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "graphNodeId"},
      [&](const Row& row, GpuOpRow& op) {
        op.name_id = KernelName(row);
        op.grid_x = row.OptionalInt(3);
        op.grid_y = row.OptionalInt(4);
        op.grid_z = row.OptionalInt(5);
        op.block_x = row.OptionalInt(6);
        op.block_y = row.OptionalInt(7);
        op.block_z = row.OptionalInt(8);
        op.register_count = row.OptionalInt(9);
        if (!row.IsNull(10) || !row.IsNull(11))
          op.shared_memory_bytes = SaturatingAdd(row.Int(10), row.Int(11));
        SetGraphNode(row, 12, op);
      });
}

Status GpuRows::ConvertCopies() {
  return ConvertTable("CUPTI_ACTIVITY_KIND_MEMCPY", "memcpy",
                      {"bytes", "copyKind", "srcKind", "dstKind", "graphNodeId"},
                      [&](const Row& row, GpuOpRow& op) {
                        const CopyWords words =
                            WordsOfCopy(row.OptionalInt(1), row.OptionalInt(2), row.OptionalInt(3));
                        op.bytes = row.OptionalInt(0);
                        op.name_id = conversion_.NameOf(words.name);
                        op.copy_kind = words.copy_kind;
                        op.host_memory = words.host_memory;
                        SetGraphNode(row, 4, op);
                      });
}

Status GpuRows::ConvertMemsets() {
  return ConvertTable("CUPTI_ACTIVITY_KIND_MEMSET", "memset", {"bytes", "memKind", "graphNodeId"},
                      [&](const Row& row, GpuOpRow& op) {
                        op.bytes = row.OptionalInt(0);
                        op.name_id = conversion_.NameOf(NameOfMemset(row.OptionalInt(1)));
                        SetGraphNode(row, 2, op);
                      });
}

Status GpuRows::ConvertGraphs() {
  if (has_graph_nodes_) {
    const int64_t count = conversion_.file().SizeOf("CUPTI_ACTIVITY_KIND_GRAPH_TRACE");
    if (count > 0) conversion_.recorder().Count(kGraphCovered, count);
    return {};
  }
  return ConvertTable("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graph", {"graphId"},
                      [&](const Row& row, GpuOpRow& op) {
                        op.name_id = conversion_.NameOf(fmt::format("CUDA graph {}", row.Int(0)));
                      });
}

Status GpuRows::ConvertSyncs() {
  return ConvertTable("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "sync", {"syncType"},
                      [&](const Row& row, GpuOpRow& op) {
                        op.name_id = conversion_.NameOf(NameOfSync(row.Int(0)));
                      });
}

}  // namespace gpuwhy::nsys
