// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/aggregates.h"

#include <algorithm>

#include "collectors/ingero/losses.h"

namespace gpuwhy::ingero {
namespace {

// One row of event_aggregates.
struct Aggregate {
  MinuteKey key{};
  int64_t stored_count = 0;
  MinuteStatistics all;
};

std::string_view SourceOf(const Op& op) {
  switch (op.becomes) {
    case Becomes::kApiCall:
      return "api_call";
    case Becomes::kOffCpu:
      return "off_cpu";
    case Becomes::kHostEvent:
    case Becomes::kSummary:
      return "host_event";
  }
  return "";
}

void Write(const MinuteKey& key, const MinuteStatistics& minute, int64_t stored_count,
           AggregateTarget target) {
  const bool is_thread_exit = key.op == kThreadExit && key.source == kHost;
  const Op& op = target.ops.Resolve(key.source, is_thread_exit ? kProcessExit : key.op);
  LatencyRow row;
  row.bucket_ns = key.bucket_ns;
  row.width_ns = kMinuteNs;
  row.source = SourceOf(op);
  if (op.becomes == Becomes::kOffCpu || !target.actors.IsProcess(key.pid)) {
    row.thread_id = target.actors.ThreadOfTid(key.pid);
  }
  row.process_id = row.thread_id ? target.recorder.ProcessOfThread(*row.thread_id)
                                 : target.actors.ProcessOf(key.pid);
  row.name_id = target.recorder.InternName(is_thread_exit ? "thread_exit" : op.name);
  row.event_count = minute.event_count;
  row.stored_count = stored_count;
  row.sum_ns = minute.sum_ns;
  row.min_ns = minute.min_ns;
  row.max_ns = minute.max_ns;
  row.sum_bytes = minute.sum_bytes;
  target.recorder.Add(row);
}

// See the header. With part of the surviving events stored, their sums cannot be told apart, so the
// larger sum is the bound.
MinuteStatistics Combine(const Aggregate& aggregate, const MinuteStatistics& rows) {
  const MinuteStatistics& all = aggregate.all;
  const bool is_disjoint = aggregate.stored_count == 0;
  const auto bound = [&](int64_t a, int64_t b) {
    return is_disjoint ? SaturatingAdd(a, b) : std::max(a, b);
  };
  const int64_t unstored_count = std::max<int64_t>(0, all.event_count - aggregate.stored_count);
  return {.event_count = unstored_count + rows.event_count,
          .sum_ns = bound(all.sum_ns, rows.sum_ns),
          .min_ns = std::min(all.min_ns, rows.min_ns),
          .max_ns = std::max(all.max_ns, rows.max_ns),
          .sum_bytes = bound(all.sum_bytes, rows.sum_bytes)};
}

Aggregate Read(const Row& row, OpTable& ops) {
  Aggregate aggregate;
  aggregate.key = {row.Int(0), row.Int(1), row.Int(2), row.Int(3)};
  aggregate.stored_count = row.Int(5);
  const Op& op = ops.Resolve(row.Int(1), row.Int(2));
  // Only argument 0 is summed: sizes in argument 1 (sockets, frees) are not known here.
  const bool has_bytes = op.bytes == Bytes::kArg0 || op.bytes == Bytes::kSectors;
  aggregate.all = {.event_count = row.Int(4),
                   .sum_ns = row.Int(6),
                   .min_ns = row.Int(7),
                   .max_ns = row.Int(8),
                   .sum_bytes = has_bytes ? BytesOf(op, row.Int(9), 0) : 0};
  return aggregate;
}

void CountMismatch(const Aggregate& aggregate, int64_t row_count, Recorder& recorder) {
  const int64_t minute_ns = aggregate.key.bucket_ns;
  if (row_count > aggregate.stored_count) recorder.Count(kAggregatesInconsistent, 1, minute_ns);
  if (row_count < aggregate.stored_count) {
    recorder.Count(kRowsMissing, aggregate.stored_count - row_count, minute_ns);
  }
}

void Convert(Aggregate aggregate, AggregateTarget target, AggregateTotals& totals) {
  MinuteKey thread_exits = aggregate.key;
  thread_exits.op = kThreadExit;
  if (aggregate.key.source == kHost && aggregate.key.op == kProcessExit) {
    const int64_t thread_exit_count = target.rows.CountOf(thread_exits);
    aggregate.all.event_count -= std::min(thread_exit_count, aggregate.all.event_count);
    aggregate.stored_count -= std::min(thread_exit_count, aggregate.stored_count);
  }
  const MinuteStatistics rows = target.rows.Take(aggregate.key);
  if (target.ops.Resolve(aggregate.key.source, aggregate.key.op).becomes == Becomes::kSummary) {
    // The events inside were converted from the summary's own row.
    const int64_t missing_count = aggregate.all.event_count - rows.event_count;
    if (missing_count > 0) {
      target.recorder.Count(kSummaryMissing, missing_count, aggregate.key.bucket_ns);
    }
    return;
  }
  CountMismatch(aggregate, rows.event_count, target.recorder);
  MinuteStatistics all =
      rows.event_count > aggregate.stored_count ? Combine(aggregate, rows) : aggregate.all;
  if (rows.event_count == all.event_count) all.sum_bytes = rows.sum_bytes;
  totals.unstored_count += std::max<int64_t>(0, all.event_count - rows.event_count);
  if (all.event_count > 0) Write(aggregate.key, all, rows.event_count, target);
}

bool IsSane(const Row& row) {
  constexpr int kColumnCount = 10;
  for (int column = 0; column < kColumnCount; ++column) {
    if (row.Type(column) != SQLITE_INTEGER) return false;
  }
  constexpr int kFirstAmount = 4;
  for (int column = kFirstAmount; column < kColumnCount; ++column) {
    if (row.Int(column) < 0) return false;
  }
  return row.Int(5) <= row.Int(4);
}

}  // namespace

Result<bool> HasAggregates(const SourceFile& file) {
  if (!file.Has("event_aggregates", "sum_arg0")) return false;
  GPUWHY_ASSIGN_OR_RETURN(const int64_t count,
                          file.db().QueryInt("SELECT count(*) FROM event_aggregates"));
  return count > 0;
}

Result<AggregateTotals> ConvertAggregates(const SourceFile& file, AggregateTarget target) {
  AggregateTotals totals;
  GPUWHY_RETURN_IF_ERROR(file.db().Query(
      "SELECT bucket, source, op, pid, count, stored, sum_dur, min_dur, max_dur, sum_arg0 "
      "FROM event_aggregates ORDER BY bucket, source, op, pid",
      {}, [&](const Row& row) {
        if (!IsSane(row)) return target.recorder.Count(kTableDamaged, 1, {}, "event_aggregates");
        totals.event_count = SaturatingAdd(totals.event_count, row.Int(4));
        totals.stored_count = SaturatingAdd(totals.stored_count, row.Int(5));
        Convert(Read(row, target.ops), target, totals);
      }));
  // Rows that no aggregate covers.
  for (const auto& [key, minute] : target.rows.Minutes()) {
    const bool is_thread_exit = key.op == kThreadExit;
    const bool is_summary =
        !is_thread_exit && target.ops.Resolve(key.source, key.op).becomes == Becomes::kSummary;
    if (!is_summary) Write(key, minute, minute.event_count, target);
  }
  return totals;
}

}  // namespace gpuwhy::ingero
