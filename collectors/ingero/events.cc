// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/events.h"

#include <fmt/format.h>

#include <array>

#include "collectors/ingero/losses.h"

namespace gpuwhy::ingero {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMaxNs = INT64_MAX / 2;  // the year 2116; a sum of two still fits
constexpr int kNumericColumns = 7;

std::string SelectEvents(const SourceFile& file) {
  const auto column = [&](std::string_view name, std::string_view otherwise) {
    return file.ColumnOr("events", name, otherwise);
  };
  // At equal times the runtime call comes before the driver call it makes.
  return fmt::format(
      "SELECT timestamp, pid, tid, source, op, duration, arg0, {}, {}, {}, {} FROM events "
      "WHERE 1{} ORDER BY timestamp, source = 4, rowid",
      column("arg1", "0"), column("ret_code", "0"), column("stack_hash", "0"),
      column("stack_ips", "''"), file.NodeFilter("events"));
}

Event ReadEvent(const Row& row) {
  return {.time_ns = row.Int(0),
          .pid = row.Int(1),
          .tid = row.Int(2),
          .source = row.Int(3),
          .op = row.Int(4),
          .duration_ns = row.Int(5),
          .arg0 = row.Int(6),
          .arg1 = row.Int(7),
          .return_code = row.Int(8),
          .stack_hash = row.Int(9),
          .stack_ips = row.Text(10)};
}

bool IsNumeric(const Row& row) {
  for (int column = 0; column < kNumericColumns; ++column) {
    if (row.Type(column) != SQLITE_INTEGER) return false;
  }
  return true;
}

bool Is(const Event& event, int64_t source, int64_t first, int64_t last) {
  return event.source == source && event.op >= first && event.op <= last;
}

bool IsPeerCopy(const Event& event) {
  return Is(event, kRuntime, 11, 12);
}
bool Is2dCopy(const Event& event) {
  return Is(event, kRuntime, 9, 10);
}

// Driver copies do not record a direction.
std::string_view CopyKind(const Event& event) {
  constexpr std::array<std::string_view, 5> kKinds = {"H2H", "H2D", "D2H", "D2D", "default"};
  const bool is_copy = Is(event, kRuntime, 4, 4) || Is(event, kRuntime, 7, 7) || Is2dCopy(event);
  if (IsPeerCopy(event)) return "P2P";
  if (!is_copy || event.arg1 < 0 || event.arg1 >= static_cast<int64_t>(kKinds.size())) return {};
  return kKinds.at(static_cast<size_t>(event.arg1));
}

// A launch records its stream only since 0.16.5; before, 0 means nothing.
std::optional<int64_t> StreamOf(const Event& event) {
  const bool is_stream_sync = Is(event, kRuntime, 5, 5);
  const bool is_launch = Is(event, kRuntime, 3, 3);
  if (is_stream_sync) return event.arg0;
  return is_launch && event.arg1 != 0 ? std::optional(event.arg1) : std::nullopt;
}

// Zero means "not recorded" (a free whose allocation was not seen), a negative or 32-bit wrapped
// number a failed socket call.
std::optional<int64_t> OptionalBytes(const Event& event, const Op& op) {
  if (op.bytes == Bytes::kNone) return std::nullopt;
  const int64_t bytes = BytesOf(op, event.arg0, event.arg1);
  const bool is_error = op.bytes == Bytes::kArg1 && bytes > INT32_MAX && op.source != kRuntime;
  const bool is_unknown_free = bytes == 0 && Is(event, kRuntime, 2, 2);
  return bytes < 0 || is_error || is_unknown_free ? std::nullopt : std::optional(bytes);
}

}  // namespace

Status EventConverter::Convert(std::string_view node,
                               const std::function<void(int64_t row_count)>& progress) {
  constexpr int64_t kRowsPerReport = 4096;
  int64_t seen_count = 0;
  GPUWHY_RETURN_IF_ERROR(file_.db().Query(SelectEvents(file_), {node}, [&](const Row& row) {
    if (!status_.ok()) return;
    ConvertRow(row);
    if (++seen_count % kRowsPerReport == 0 && progress) progress(seen_count);
  }));
  GPUWHY_RETURN_IF_ERROR(status_);
  return recorder_.status();
}

void EventConverter::ConvertRow(const Row& row) {
  Event event = ReadEvent(row);
  if (!Repair(row, event)) return;
  ++row_count_;
  AddEvent(event);
}

bool EventConverter::Repair(const Row& row, Event& event) {
  const bool is_in_range =
      event.time_ns >= 0 && event.time_ns <= kMaxNs && event.duration_ns <= event.time_ns;
  if (!IsNumeric(row) || !is_in_range) {
    recorder_.Count(kDamagedEvent);
    return false;
  }
  if (event.duration_ns < 0) {
    recorder_.Count(kNegativeDuration, 1, event.time_ns);
    event.duration_ns = 0;
  }
  return true;
}

void EventConverter::AddEvent(const Event& event) {
  const Op& op = ops_.Resolve(event.source, event.op);
  if (FindOp(event.source, event.op) == nullptr) {
    recorder_.Count(kUnknownOp, 1, event.time_ns, op.detail.empty() ? op.name : op.detail);
  }
  const bool is_thread_exit =
      Is(event, kHost, kProcessExit, kProcessExit) && event.tid != event.pid;
  statistics_.Add({.bucket_ns = event.time_ns - event.time_ns % kMinuteNs,
                   .source = event.source,
                   .op = is_thread_exit ? kThreadExit : event.op,
                   .pid = event.pid},
                  event.duration_ns, OptionalBytes(event, op).value_or(0));
  switch (op.becomes) {
    case Becomes::kApiCall:
      return AddApiCall(event, op);
    case Becomes::kOffCpu:
      return AddOffCpu(event);
    case Becomes::kHostEvent:
      return AddHostEvent(event, op);
    case Becomes::kSummary:
      return AddSummary(event, op);
  }
}

int64_t EventConverter::ThreadOf(const Event& event) {
  return actors_.IsProcess(event.pid) ? actors_.ThreadOf(event.pid, event.tid)
                                      : actors_.ThreadOfTid(event.tid);
}

OptionalId EventConverter::Callsite(const Event& event) {
  if (event.stack_hash == 0) return stacks_.CallsiteOfAddresses(event.stack_ips, event.time_ns);
  auto callsite = stacks_.CallsiteOf(event.stack_hash, event.time_ns);
  if (callsite.ok()) return callsite.value();
  status_ = callsite.error();
  return std::nullopt;
}

OptionalId EventConverter::ParentOf(const Event& event) {
  const auto it = open_calls_.find(event.tid);
  if (it == open_calls_.end()) return std::nullopt;
  auto& open = it->second;
  while (!open.empty() && open.back().end_ns <= event.time_ns)
    open.pop_back();
  const int64_t end_ns = event.time_ns + event.duration_ns;
  const bool is_inside = !open.empty() && open.back().end_ns >= end_ns;
  return is_inside && event.source == kDriver ? OptionalId(open.back().id) : std::nullopt;
}

void EventConverter::AddApiCall(const Event& event, const Op& op) {
  if (Is2dCopy(event)) recorder_.Count(kCopySizeUnknown, 1, event.time_ns);
  ApiCallRow row;
  row.start_ns = event.time_ns;
  row.duration_ns = event.duration_ns;
  row.thread_id = ThreadOf(event);
  row.name_id = recorder_.InternName(op.name);
  row.parent_id = ParentOf(event);
  row.bytes = OptionalBytes(event, op);
  row.copy_kind = CopyKind(event);
  row.stream = StreamOf(event);
  row.return_code = event.return_code;
  row.callsite_id = Callsite(event);
  const int64_t id = recorder_.Add(row);
  if (event.source != kDriver) {
    open_calls_[event.tid].push_back({event.time_ns + event.duration_ns, id});
  }
}

void EventConverter::AddOffCpu(const Event& event) {
  OffCpuRow row;
  row.start_ns = event.time_ns - event.duration_ns;
  row.duration_ns = event.duration_ns;
  row.thread_id = actors_.ThreadOfTid(event.pid);
  row.reason = "unknown";
  row.callsite_id = Callsite(event);
  recorder_.Add(row);
}

OptionalId EventConverter::OtherThread(const Event& event) {
  if (event.source != kHost || event.arg1 == 0) return std::nullopt;
  if (event.op == kProcessFork) return actors_.Fork(event.pid, event.arg1, event.time_ns);
  const bool has_other = event.op == kSchedWakeup || event.op == kOomKill;
  return has_other ? OptionalId(actors_.ThreadOfTid(event.arg1)) : std::nullopt;
}

void EventConverter::AddHostEvent(const Event& event, const Op& op) {
  const bool is_exit = Is(event, kHost, kProcessExit, kProcessExit);
  HostEventRow row;
  row.start_ns = op.is_end_stamped ? event.time_ns - event.duration_ns : event.time_ns;
  row.duration_ns = event.duration_ns;
  row.thread_id = ThreadOf(event);
  row.other_thread_id = OtherThread(event);
  row.kind = is_exit && event.tid != event.pid ? "thread_exit" : op.name;
  row.bytes = OptionalBytes(event, op);
  if (!op.detail.empty()) row.detail_name_id = recorder_.InternName(op.detail);
  recorder_.Add(row);
  if (is_exit) actors_.Exit(event.pid, event.tid, event.time_ns);
}

// One drain of an in-kernel sum: argument 0 is the number of events of the last second, argument 1
// their bytes (page allocations) or total time (context switches of thread `pid`).
void EventConverter::AddSummary(const Event& event, const Op& op) {
  if (event.arg0 <= 0) return recorder_.Count(kDamagedEvent, 1, event.time_ns);
  const bool is_switch = event.op == kSwitchSummary;
  const int64_t mean_ns = is_switch ? event.arg1 / event.arg0 : 0;
  LatencyRow row;
  row.bucket_ns = event.time_ns - event.time_ns % kSecondNs;
  row.width_ns = kSecondNs;
  if (is_switch) row.thread_id = actors_.ThreadOfTid(event.pid);
  row.process_id =
      is_switch ? recorder_.ProcessOfThread(*row.thread_id) : actors_.ProcessOf(event.pid);
  row.source = is_switch ? "off_cpu" : "host_event";
  row.name_id = recorder_.InternName(op.name);
  row.event_count = event.arg0;
  row.sum_ns = is_switch ? event.arg1 : 0;
  row.min_ns = mean_ns;
  row.max_ns = mean_ns;
  row.sum_bytes = is_switch ? 0 : event.arg1;
  recorder_.Add(row);
  if (is_switch) recorder_.Count(kSummaryWithoutExtremes, 1, event.time_ns);
}

}  // namespace gpuwhy::ingero
