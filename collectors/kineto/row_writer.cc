// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/row_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "collectors/kineto/copies.h"
#include "collectors/kineto/losses.h"
#include "collectors/kineto/repair.h"

namespace gpuwhy::kineto {
namespace {

// A clock that has passed this much cannot be at 0 in the same trace.
constexpr int64_t kRunningClockNs = 1'000'000'000;
// Dates after 2200 or before 1970 and spans of a century are damage; sums below stay in range.
constexpr int64_t kMaxTimeNs = INT64_MAX / 4;

std::string_view CategoryText(const TraceEvent& event) {
  return event.category_text.empty() ? "uncategorised" : event.category_text;
}

bool IsTraceExtent(const TraceEvent& event) {
  if (event.category == Category::kTraceSpan) return true;
  if (!event.pid.is_text) return false;
  const std::string_view pid = event.pid.text;
  return pid == "Spans" || pid == "Traces" || (pid.empty() && event.name == "Record Window End");
}

std::string_view KindOf(Category category) {
  switch (category) {
    case Category::kMemcpy:
      return "memcpy";
    case Category::kMemset:
      return "memset";
    case Category::kSync:
      return "sync";
    default:
      return "kernel";
  }
}

bool IsOutOfRange(std::optional<int64_t> time_ns) {
  return time_ns && (*time_ns > kMaxTimeNs || *time_ns < -kMaxTimeNs);
}

}  // namespace

void RowWriter::Add(const TraceEvent& event) {
  ++event_count_;
  const auto phase = static_cast<unsigned char>(event.phase);
  if (phase < phase_counts_.size()) ++phase_counts_.at(phase);
  if (event.is_number_lost) recorder_.Count(kNumberLost, 1, {}, event.name);
  switch (event.phase) {
    case 'M':
      return actors_.Name(event);
    case '\0':
      return recorder_.Count(kNoPhase, 1, {}, event.name);
    default:
      break;
  }
  if (IsTraceExtent(event)) return recorder_.Count(kTraceSpanNotStored);
  if (!IsWithoutTime(event)) AddTimed(event);
}

void RowWriter::CountFlows(int64_t count) {
  if (count == 0) return;
  flow_count_ += count;
  recorder_.Count(kFlowNotStored, count);
}

bool RowWriter::IsWithoutTime(const TraceEvent& event) {
  const bool is_lost = !event.ts_ns || IsOutOfRange(event.ts_ns) ||
                       IsOutOfRange(event.duration_ns) || event.is_time_unreadable;
  if (is_lost) {
    recorder_.Count(kNoTime, 1, {}, event.name);
    return true;
  }
  if (*event.ts_ns == 0 && event.duration_ns == 0 && largest_ts_ns_ > kRunningClockNs) {
    recorder_.Count(kZeroTime, 1, {}, event.name);
    return true;
  }
  largest_ts_ns_ = std::max(largest_ts_ns_, *event.ts_ns);
  return false;
}

void RowWriter::AddTimed(const TraceEvent& event) {
  switch (event.phase) {
    case 'X':
      return AddComplete(event);
    case 'B':
      return Begin(event);
    case 'E':
      return End(event);
    case 'b':
    case 'S':
      return BeginAsync(event);
    case 'e':
    case 'F':
      return EndAsync(event);
    case 'i':
    case 'I':
    case 'R':
    case 'n':
      return AddInstant(event);
    case 'C':
      return AddCounters(event);
    default:
      return recorder_.Count(kPhaseNotStored, 1, StartOf(event),
                             fmt::format("{} {}", event.phase, event.name));
  }
}

int64_t RowWriter::DurationOf(const TraceEvent& event) {
  if (!event.duration_ns) {
    recorder_.Count(kNoDuration, 1, StartOf(event), event.name);
    return 0;
  }
  if (*event.duration_ns >= 0) return *event.duration_ns;
  recorder_.Count(kNegativeDuration, 1, StartOf(event), event.name);
  return 0;
}

void RowWriter::AddComplete(const TraceEvent& event) {
  const int64_t start_ns = StartOf(event);
  switch (event.category) {
    case Category::kKernel:
    case Category::kMemcpy:
    case Category::kMemset:
    case Category::kSync:
      return AddGpuOp(event, start_ns);
    case Category::kRuntime:
    case Category::kDriver:
      return AddApiCall(event, start_ns);
    default:
      return AddRange(event, start_ns);
  }
}

void RowWriter::AddGpuOp(const TraceEvent& event, int64_t start_ns) {
  const EventArgs& args = event.args;
  const int64_t duration_ns = DurationOf(event);
  // An operation without an end would count as busy for no time: it is not known to have run.
  if (!event.duration_ns) return;
  GpuOpRow row{.start_ns = start_ns, .duration_ns = duration_ns};
  row.gpu_id = actors_.Gpu(event);
  row.process_id = actors_.MainProcess();
  row.context_id = args.context;
  row.stream = Actors::StreamOf(event);
  row.kind = KindOf(event.category);
  row.name_id = recorder_.InternName(event.name);
  row.correlation_id = args.correlation;
  row.bytes = args.bytes;
  if (event.category == Category::kMemcpy) {
    row.copy_kind = CopyKindOf(event.name, args.copy_kind);
    row.host_memory = HostMemoryOf(event.name);
  }
  if (args.has_grid) std::tie(row.grid_x, row.grid_y, row.grid_z) = std::tuple_cat(args.grid);
  if (args.has_block) std::tie(row.block_x, row.block_y, row.block_z) = std::tuple_cat(args.block);
  row.register_count = args.register_count;
  row.shared_memory_bytes = args.shared_memory_bytes;
  row.graph_node_id = args.graph_node_id;
  recorder_.Add(row);
}

void RowWriter::AddApiCall(const TraceEvent& event, int64_t start_ns) {
  const EventArgs& args = event.args;
  ApiCallRow row{.start_ns = start_ns, .duration_ns = DurationOf(event)};
  row.thread_id = actors_.HostThread(event);
  row.name_id = recorder_.InternName(event.name);
  row.correlation_id = args.correlation;
  row.bytes = args.bytes;
  row.copy_kind = CopyKindOf({}, args.copy_kind);
  row.stream = args.stream;
  RuntimeCall& last = last_runtime_call_[row.thread_id];
  const int64_t end_ns = start_ns + row.duration_ns;
  const bool is_driver = event.category == Category::kDriver;
  if (is_driver && start_ns >= last.start_ns && end_ns <= last.end_ns) row.parent_id = last.row_id;
  const int64_t row_id = recorder_.Add(row);
  if (!is_driver) last = {.end_ns = end_ns, .start_ns = start_ns, .row_id = row_id};
}

int64_t RowWriter::ThreadOf(const TraceEvent& event) {
  if (event.category == Category::kDeviceRange) return actors_.DeviceThread(event);
  const bool is_overhead = event.category == Category::kOverhead && event.pid.number == -1;
  return is_overhead ? actors_.OverheadThread(event) : actors_.HostThread(event);
}

void RowWriter::AddRange(const TraceEvent& event, int64_t start_ns) {
  has_step_annotations_ = has_step_annotations_ || event.name.starts_with("ProfilerStep");
  RangeRow row{.start_ns = start_ns, .duration_ns = DurationOf(event)};
  row.thread_id = ThreadOf(event);
  row.name_id = recorder_.InternName(event.name);
  row.category = CategoryText(event);
  row.sequence_id = event.args.sequence_id;
  row.shapes = event.args.shapes;
  recorder_.Add(row);
}

void RowWriter::AddInstant(const TraceEvent& event) {
  if (event.name == "[memory]") return AddMemory(event, StartOf(event));
  RangeRow row{.start_ns = StartOf(event)};
  row.thread_id = event.phase == 'n' ? actors_.AsyncThread(event) : ThreadOf(event);
  row.name_id = recorder_.InternName(event.name);
  row.category = CategoryText(event);
  recorder_.Add(row);
}

// Allocator state after one allocation or release (Bytes is signed). Writers before 2022 give no
// totals: then the balance since the start of the trace is kept.
void RowWriter::AddMemory(const TraceEvent& event, int64_t time_ns) {
  const EventArgs& args = event.args;
  const int64_t device = args.device_type.value_or(0) == 0 ? -1 : args.device_id.value_or(0);
  const std::string prefix = device < 0 ? "cpu.memory" : fmt::format("gpu{}.memory", device);
  const auto add = [&](std::string_view what, int64_t bytes) {
    recorder_.AddCounterValue(prefix + std::string(what), "bytes", time_ns,
                              static_cast<double>(bytes));
  };
  if (args.total_allocated_bytes) add("_allocated_bytes", *args.total_allocated_bytes);
  if (args.total_reserved_bytes) add("_reserved_bytes", *args.total_reserved_bytes);
  if (args.total_allocated_bytes || args.total_reserved_bytes) return;
  if (!args.bytes) return recorder_.Count(kCounterUnreadable, 1, time_ns, event.name);
  int64_t& balance = memory_balance_bytes_[device];
  if (__builtin_add_overflow(balance, *args.bytes, &balance)) balance = 0;
  add("_allocated_since_start_bytes", balance);
}

void RowWriter::AddCounters(const TraceEvent& event) {
  const int64_t time_ns = StartOf(event);
  auto args = nlohmann::json::parse(event.args.all, nullptr, /*allow_exceptions=*/false);
  if (args.is_discarded()) {
    args = nlohmann::json::parse(CleanJson(event.args.all), nullptr, /*allow_exceptions=*/false);
  }
  if (!args.is_object()) return recorder_.Count(kCounterUnreadable, 1, time_ns, event.name);
  const std::string prefix = event.pid.is_text ? fmt::format("{} {}", event.pid.text, event.name)
                                               : std::string(event.name);
  for (const auto& [key, value] : args.items()) {
    if (!value.is_number()) {
      recorder_.Count(kCounterUnreadable, 1, time_ns, event.name);
      continue;
    }
    recorder_.AddCounterValue(key.empty() ? prefix : fmt::format("{}.{}", prefix, key), "count",
                              time_ns, value.get<double>());
  }
}

void RowWriter::Begin(const TraceEvent& event) {
  open_spans_.Begin(ThreadOf(event), {.start_ns = StartOf(event),
                                      .name_id = recorder_.InternName(event.name),
                                      .category = std::string(CategoryText(event))});
}

void RowWriter::End(const TraceEvent& event) {
  const int64_t thread_id = ThreadOf(event);
  const int64_t name_id = event.name.empty() ? 0 : recorder_.InternName(event.name);
  AddSpan(event, open_spans_.End(thread_id, name_id), thread_id);
}

namespace {

std::string AsyncKey(const TraceEvent& event) {
  return fmt::format("{}\x1f{}\x1f{}", event.category_text, event.id, event.name);
}

}  // namespace

void RowWriter::BeginAsync(const TraceEvent& event) {
  open_spans_.BeginAsync(AsyncKey(event), {.start_ns = StartOf(event),
                                           .name_id = recorder_.InternName(event.name),
                                           .category = std::string(CategoryText(event))});
}

void RowWriter::EndAsync(const TraceEvent& event) {
  AddSpan(event, open_spans_.EndAsync(AsyncKey(event)), actors_.AsyncThread(event));
}

void RowWriter::AddSpan(const TraceEvent& event, const ClosedSpan& closed, int64_t thread_id) {
  const int64_t end_ns = StartOf(event);
  if (closed.match == SpanMatch::kNone) {
    return recorder_.Count(kEndWithoutBegin, 1, end_ns, event.name);
  }
  if (closed.match == SpanMatch::kCrossed) recorder_.Count(kSpansCross, 1, end_ns, event.name);
  const int64_t start_ns = closed.span.start_ns;
  if (end_ns < start_ns) recorder_.Count(kNegativeDuration, 1, end_ns, event.name);
  recorder_.Add(RangeRow{.start_ns = start_ns,
                         .duration_ns = std::max<int64_t>(end_ns - start_ns, 0),
                         .thread_id = thread_id,
                         .name_id = closed.span.name_id,
                         .category = closed.span.category});
}

void RowWriter::Finish(const TraceMetadata& metadata, std::optional<int64_t> rank) {
  const int64_t open_count = open_spans_.OpenCount();
  if (open_count > 0) recorder_.Count(kBeginWithoutEnd, open_count);
  actors_.Finish(metadata, rank);
}

std::string RowWriter::PhaseCountsJson() const {
  nlohmann::json counts = nlohmann::json::object();
  for (size_t phase = 1; phase < phase_counts_.size(); ++phase) {
    const int64_t count = phase_counts_.at(phase);
    if (count > 0) counts[std::string(1, static_cast<char>(phase))] = count;
  }
  if (flow_count_ > 0) counts["flows"] = flow_count_;
  return counts.dump();
}

}  // namespace gpuwhy::kineto
