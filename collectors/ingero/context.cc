// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/context.h"

#include <fmt/format.h>

#include <cmath>

#include "collectors/ingero/losses.h"

namespace gpuwhy::ingero {
namespace {

constexpr double kBytesPerMebibyte = 1 << 20;

bool IsNumber(const Row& row, int column) {
  return row.Type(column) == SQLITE_INTEGER || row.Type(column) == SQLITE_FLOAT;
}

// The first CPU sample has nothing to be a difference to: Ingero stores 0.0.
void AddSnapshot(const Row& row, bool is_first, Recorder& recorder) {
  for (int column = 0; column < 6; ++column) {
    if (!IsNumber(row, column)) return recorder.Count(kTableDamaged, 1, {}, "system_snapshots");
  }
  const int64_t time_ns = row.Int(0);
  if (is_first && row.Real(1) == 0) {
    recorder.Count(kFirstCpuSample, 1, time_ns);
  } else {
    recorder.AddCounterValue("system.cpu_pct", "pct", time_ns, row.Real(1));
  }
  recorder.AddCounterValue("system.mem_used_pct", "pct", time_ns, row.Real(2));
  recorder.AddCounterValue("system.mem_available_bytes", "bytes", time_ns,
                           row.Real(3) * kBytesPerMebibyte);
  recorder.AddCounterValue("system.swap_used_bytes", "bytes", time_ns,
                           row.Real(4) * kBytesPerMebibyte);
  recorder.AddCounterValue("system.load_avg", "count", time_ns, row.Real(5));
}

std::optional<int64_t> FromMicroseconds(int64_t time_us) {
  constexpr int64_t kNsPerUs = 1000;
  if (time_us <= 0 || time_us > INT64_MAX / kNsPerUs) return std::nullopt;
  return time_us * kNsPerUs;
}

void AddAnnotation(const Row& row, Recorder& recorder, Actors& actors) {
  const int64_t pid = row.Int(2);
  const bool is_span = row.Int(3) > 0 && row.Int(4) >= row.Int(3);
  const int64_t start_ns = is_span ? row.Int(3) : row.Int(0);
  const int64_t duration_ns = is_span ? row.Int(4) - row.Int(3) : 0;
  const int64_t labels = recorder.InternName(row.Text(1));
  if (pid == 0) {
    HostEventRow event;
    event.start_ns = start_ns;
    event.duration_ns = duration_ns;
    event.kind = "other";
    event.detail_name_id = labels;
    recorder.Add(event);
    return;
  }
  RangeRow range;
  range.start_ns = start_ns;
  range.duration_ns = duration_ns;
  range.thread_id = actors.ThreadOfTid(pid);
  range.name_id = labels;
  range.category = "annotation";
  recorder.Add(range);
}

Status CountTrimmed(const SourceFile& file, std::string_view node, Recorder& recorder) {
  const std::string filter = file.NodeFilter("events");
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t row_count,
      file.db().QueryInt(fmt::format("SELECT count(*) FROM events WHERE 1{}", filter), {node}));
  if (row_count == 0) return {};
  const std::string_view sequence =
      file.HasTextIds() ? "CAST(substr(id, length(node) + 2) AS INTEGER)" : "rowid";
  if (file.HasTextIds() && !file.Has("events", "node")) return {};
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t last,
      file.db().QueryInt(fmt::format("SELECT max({}) FROM events WHERE 1{}", sequence, filter),
                         {node}));
  if (last > row_count) recorder.Count(kTrimmed, last - row_count);
  return {};
}

}  // namespace

Status ConvertSnapshots(const SourceFile& file, Recorder& recorder) {
  if (!file.Has("system_snapshots", "cpu_pct")) return {};
  bool is_first = true;
  return file.db().Query(
      "SELECT timestamp, cpu_pct, mem_pct, mem_avail, swap_mb, load_avg FROM system_snapshots "
      "ORDER BY timestamp",
      {}, [&](const Row& row) {
        AddSnapshot(row, is_first, recorder);
        is_first = false;
      });
}

Status ConvertChains(const SourceFile& file, std::string_view node, Recorder& recorder) {
  if (!file.Has("causal_chains", "tail_ratio")) return {};
  return file.db().Query(
      fmt::format("SELECT id, detected_at, severity, summary, root_cause, explanation, "
                  "recommendations, cuda_op, cuda_p50_us, cuda_p99_us, tail_ratio "
                  "FROM causal_chains WHERE 1{} ORDER BY detected_at, id",
                  file.NodeFilter("causal_chains")),
      {node}, [&](const Row& row) {
        const double ratio = row.Real(10);
        recorder.Add(
            ForeignFindingRow{.tool = "ingero",
                              .external_id = std::string(row.Text(0)),
                              .time_ns = row.OptionalInt(1),
                              .severity = std::string(row.Text(2)),
                              .title = std::string(row.Text(3)),
                              .cause = std::string(row.Text(4)),
                              .explanation = std::string(row.Text(5)),
                              .recommendations_json = std::string(row.Text(6)),
                              .operation = std::string(row.Text(7)),
                              .p50_ns = FromMicroseconds(row.Int(8)),
                              .p99_ns = FromMicroseconds(row.Int(9)),
                              .tail_ratio = ratio > 0 ? std::optional(ratio) : std::nullopt});
      });
}

Status ConvertAnnotations(const SourceFile& file, Recorder& recorder, Actors& actors) {
  if (!file.Has("annotations", "span_end")) return {};
  return file.db().Query(
      "SELECT timestamp, labels, pid, span_start, span_end FROM annotations ORDER BY timestamp", {},
      [&](const Row& row) { AddAnnotation(row, recorder, actors); });
}

Status CountOmissions(const SourceFile& file, std::string_view node, Recorder& recorder) {
  if (file.Has("cgroup_schedstat")) {
    GPUWHY_ASSIGN_OR_RETURN(const int64_t count,
                            file.db().QueryInt("SELECT count(*) FROM cgroup_schedstat"));
    if (count > 0) recorder.Count(kSchedstatNotConverted, count);
  }
  return CountTrimmed(file, node, recorder);
}

}  // namespace gpuwhy::ingero
