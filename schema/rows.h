// SPDX-License-Identifier: Apache-2.0
// One struct per table that collectors fill: the contract between collectors and the database.
// Field names, units and meanings are those of the columns in tables/<table>.sql; ids of names,
// threads and so on come from the Recorder. Unset optionals become NULL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwhy {

using OptionalId = std::optional<int64_t>;

struct CaptureRow {
  std::string kind;
  std::string path;
  std::string host;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  std::optional<int64_t> clock_offset_ns;
  std::optional<int64_t> clock_error_ns;
  std::optional<int64_t> cpu_count;
  std::optional<int64_t> memory_bytes;
  bool is_selective = false;
  std::string tool_version;
  std::string facts_json = "{}";
  std::string sha256;
};

struct ApiCallRow {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t thread_id = 0;
  int64_t name_id = 0;
  OptionalId parent_id;
  OptionalId correlation_id;
  std::optional<int64_t> bytes;
  std::string_view copy_kind;    // empty = NULL; must outlive the call only
  std::string_view host_memory;  // empty = NULL
  std::optional<int64_t> stream;
  std::optional<int64_t> event;
  std::optional<int64_t> return_code;
  OptionalId callsite_id;
};

struct QueuedWorkRow {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t process_id = 0;
  OptionalId first_call_id;
  OptionalId last_call_id;
};

struct GpuOpRow {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t gpu_id = 0;
  OptionalId process_id;
  std::optional<int64_t> context_id;
  std::optional<int64_t> stream;
  std::string_view kind;
  int64_t name_id = 0;
  OptionalId correlation_id;
  std::optional<int64_t> bytes;
  std::string_view copy_kind;
  std::string_view host_memory;
  std::optional<int64_t> grid_x, grid_y, grid_z;
  std::optional<int64_t> block_x, block_y, block_z;
  std::optional<int64_t> register_count;
  std::optional<int64_t> shared_memory_bytes;
  OptionalId graph_node_id;
};

struct RangeRow {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t thread_id = 0;
  int64_t name_id = 0;
  std::string_view category;
  OptionalId sequence_id;
  std::string_view shapes;  // empty = NULL
};

struct OffCpuRow {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t thread_id = 0;
  std::optional<int64_t> runnable_ns;
  std::string_view reason;
  OptionalId waker_thread_id;
  OptionalId preemptor_thread_id;
  OptionalId callsite_id;
};

struct HostEventRow {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  OptionalId thread_id;
  OptionalId other_thread_id;
  std::string_view kind;
  std::optional<int64_t> bytes;
  OptionalId detail_name_id;
};

struct ForeignFindingRow {
  std::string tool;
  std::string external_id;
  std::optional<int64_t> time_ns;
  std::string severity;
  std::string title;
  std::string cause;
  std::string explanation;
  std::string recommendations_json;
  std::string operation;
  std::optional<int64_t> p50_ns;
  std::optional<int64_t> p99_ns;
  std::optional<double> tail_ratio;
};

// A roll-up that a recorder made itself (Ingero's per-minute aggregates, in-kernel histograms).
struct LatencyRow {
  int64_t bucket_ns = 0;
  int64_t width_ns = 0;
  OptionalId process_id;
  OptionalId thread_id;
  std::string_view source;
  int64_t name_id = 0;
  int64_t event_count = 0;
  int64_t stored_count = 0;
  int64_t sum_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  int64_t sum_bytes = 0;
  std::string_view histogram;  // empty = NULL
};

struct FrameRow {
  std::string_view kind;  // native, kernel or python
  std::string_view function_name;
  std::string_view module;  // empty = NULL
  std::string_view file;    // empty = NULL
  std::optional<int64_t> line;
};

enum class LossSeverity { kInfo, kRepaired, kDataLoss };

// A kind of lost, skipped or repaired record. Define one constant per kind beside the code that
// counts it.
struct LossKind {
  std::string_view name;
  LossSeverity severity;
  std::string_view description;
  std::string_view advice;
};

}  // namespace gpuwhy
