// SPDX-License-Identifier: Apache-2.0
// One event of a Chrome trace as the parser hands it on. Texts point into the batch that holds the
// event (its chunk of the file or its arena) and live as long as the batch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuwhy::kineto {

enum class Category : uint8_t {
  kNone,         // no cat at all
  kKernel,       // GPU work: the set that device busy time is made of
  kMemcpy,       //
  kMemset,       //
  kSync,         // cuda_sync: on a stream, never busy
  kRuntime,      // host call into a runtime library
  kDriver,       // host call into a driver library
  kHostRange,    // span on a host thread
  kDeviceRange,  // span drawn on a stream that is not work (annotations, counters)
  kOverhead,     // the profiler's own cost
  kTraceSpan,    // the profiler's own extent
};

// Category of a cat text, whatever its case. Unknown texts are host ranges.
Category CategoryOf(std::string_view text);

// Start, step and finish of an arrow between events.
inline bool IsFlowPhase(char phase) {
  return phase == 's' || phase == 't' || phase == 'f';
}

// A pid or tid: a number, or a text such as "stream 7" or "Spans".
struct TraceId {
  bool is_present = false;
  bool is_text = false;           // not a number in any spelling
  std::optional<int64_t> number;  // for a text, the number it ends with
  std::string_view text;          // for a text
};

struct EventArgs {
  std::optional<int64_t> correlation;
  std::optional<int64_t> bytes;
  std::optional<int64_t> stream;
  std::optional<int64_t> device;
  std::optional<int64_t> context;
  std::optional<int64_t> sequence_id;
  std::optional<int64_t> register_count;
  std::optional<int64_t> shared_memory_bytes;
  std::optional<int64_t> graph_node_id;
  std::optional<int64_t> device_type;
  std::optional<int64_t> device_id;
  std::optional<int64_t> total_allocated_bytes;
  std::optional<int64_t> total_reserved_bytes;
  bool has_grid = false;
  bool has_block = false;
  std::array<int64_t, 3> grid{};
  std::array<int64_t, 3> block{};
  std::string_view shapes;     // JSON text of "Input Dims"
  std::string_view copy_kind;  // "kind"
  std::string_view name;       // of metadata events
  std::string_view all;        // JSON text of args, for counters
};

struct TraceEvent {
  char phase = 0;
  Category category = Category::kNone;
  std::string_view category_text;
  std::string_view name;
  std::string_view id;  // of async events, as written
  TraceId pid;
  TraceId tid;
  std::optional<int64_t> ts_ns;  // as written, before the base time is added
  std::optional<int64_t> duration_ns;
  bool is_time_unreadable = false;  // ts or dur is there but is no number, or does not fit
  bool is_number_lost = false;      // a number of args does not fit
  EventArgs args;
};

}  // namespace gpuwhy::kineto
