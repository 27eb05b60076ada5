// SPDX-License-Identifier: Apache-2.0
#include "tools/support/operation_stats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "schema/histogram.h"
#include "tools/analysis/names.h"

namespace gpuwhy {
namespace {

// Every statement yields: name_id or NULL, name text or NULL, duration_ns, bytes, is_nested,
// process_id; its arguments are start and end of the window.
struct SourceSql {
  std::string_view source;
  std::string_view sql;
};

constexpr SourceSql kSources[] = {
    {"api_call",
     "SELECT c.name_id, NULL, c.duration_ns, c.bytes, c.parent_id IS NOT NULL, t.process_id "
     "FROM api_call c JOIN thread t ON t.id = c.thread_id WHERE c.start_ns >= ? AND c.start_ns < "
     "?"},
    {"gpu_op",
     "SELECT name_id, NULL, duration_ns, bytes, 0, process_id FROM gpu_op "
     "WHERE start_ns >= ? AND start_ns < ?"},
    {"off_cpu",
     "SELECT NULL, o.reason, o.duration_ns, 0, 0, t.process_id FROM off_cpu o "
     "JOIN thread t ON t.id = o.thread_id WHERE o.start_ns >= ? AND o.start_ns < ?"},
    {"host_event",
     "SELECT NULL, e.kind, e.duration_ns, e.bytes, 0, t.process_id FROM host_event e "
     "LEFT JOIN thread t ON t.id = e.thread_id WHERE e.start_ns >= ? AND e.start_ns < ?"},
    {"range",
     "SELECT r.name_id, NULL, r.duration_ns, 0, 0, t.process_id FROM range r "
     "JOIN thread t ON t.id = r.thread_id WHERE r.start_ns >= ? AND r.start_ns < ?"}};

// "SELECT max(id)" is the number of rows of a table that only grows.
constexpr std::string_view kAllRows[] = {
    "SELECT max(id) FROM api_call", "SELECT max(id) FROM gpu_op", "SELECT max(id) FROM off_cpu",
    "SELECT max(id) FROM host_event", "SELECT max(id) FROM range"};
constexpr std::string_view kSomeRows[] = {
    "SELECT count(*) FROM (SELECT 1 FROM api_call WHERE start_ns >= ? AND start_ns < ? LIMIT ?)",
    "SELECT count(*) FROM (SELECT 1 FROM gpu_op WHERE start_ns >= ? AND start_ns < ? LIMIT ?)",
    "SELECT count(*) FROM (SELECT 1 FROM off_cpu WHERE start_ns >= ? AND start_ns < ? LIMIT ?)",
    "SELECT count(*) FROM (SELECT 1 FROM host_event WHERE start_ns >= ? AND start_ns < ? LIMIT ?)",
    "SELECT count(*) FROM (SELECT 1 FROM range WHERE start_ns >= ? AND start_ns < ? LIMIT ?)"};

class ProcessFilter {
 public:
  explicit ProcessFilter(const std::vector<int64_t>& ids) : ids_(ids.begin(), ids.end()) {}
  bool Has(const Row& row, int column) const {
    return ids_.empty() || (!row.IsNull(column) && ids_.contains(row.Int(column)));
  }

 private:
  std::unordered_set<int64_t> ids_;
};

struct RowGroup {
  std::vector<int64_t> durations_ns;
  OperationStats stats;
};

// Nearest rank, as the SQL functions p50, p95 and p99 take it. Reorders the values.
int64_t PercentileOf(std::vector<int64_t>& values, double p) {
  const double rank = std::ceil(p * static_cast<double>(values.size()));
  const auto at = values.begin() + std::max<int64_t>(1, static_cast<int64_t>(rank)) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

OperationStats Finish(RowGroup& group) {
  OperationStats stats = std::move(group.stats);
  auto& values = group.durations_ns;
  stats.event_count = stats.stored_count = static_cast<int64_t>(values.size());
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  stats.min_ns = *min;
  stats.max_ns = *max;
  stats.p99_ns = PercentileOf(values, 0.99);
  stats.p95_ns = PercentileOf(values, 0.95);
  stats.p50_ns = PercentileOf(values, 0.50);
  return stats;
}

void AddRow(const Row& row, RowGroup& group) {
  const int64_t duration_ns = row.Int(2);
  group.durations_ns.push_back(duration_ns);
  group.stats.sum_ns += duration_ns;
  group.stats.sum_bytes += row.Int(3);
  if (row.Int(4) == 0) return;
  ++group.stats.nested_count;
  group.stats.nested_ns += duration_ns;
}

Status AddSource(const StatsRequest& request, const SourceSql& source,
                 std::vector<OperationStats>& out) {
  std::unordered_map<int64_t, RowGroup> by_id;
  std::map<std::string, RowGroup, std::less<>> by_text;
  const ProcessFilter filter(request.process_ids);
  GPUWHY_RETURN_IF_ERROR(request.db.Query(
      source.sql, {request.window.start_ns, request.window.end_ns}, [&](const Row& row) {
        constexpr int kProcessColumn = 5;
        if (!filter.Has(row, kProcessColumn)) return;
        if (!row.IsNull(0)) return AddRow(row, by_id[row.Int(0)]);
        auto it = by_text.find(row.Text(1));
        if (it == by_text.end()) it = by_text.emplace(row.Text(1), RowGroup{}).first;
        AddRow(row, it->second);
      }));
  const Names names(request.db);
  const auto add = [&](std::string name, RowGroup& group) {
    group.stats.source = source.source;
    group.stats.name = std::move(name);
    out.push_back(Finish(group));
  };
  for (auto& [text, group] : by_text)
    add(text, group);
  for (auto& [id, group] : by_id) {
    GPUWHY_ASSIGN_OR_RETURN(std::string name, names.Text(id));
    add(std::move(name), group);
  }
  return {};
}

std::string_view KnownSource(std::string_view source) {
  for (const std::string_view known : kEventSources) {
    if (known == source) return known;
  }
  return {};
}

struct RollUpGroup {
  OperationStats stats;
  HistogramSum histogram;
  bool has_histogram = true;
};

void AddRollUp(const Row& row, RollUpGroup& group) {
  OperationStats& stats = group.stats;
  const int64_t count = row.Int(2);
  if (count <= 0) return;
  const bool is_first = stats.event_count == 0;
  stats.min_ns = is_first ? row.Int(5) : std::min(stats.min_ns, row.Int(5));
  stats.max_ns = std::max(stats.max_ns, row.Int(6));
  stats.event_count += count;
  stats.stored_count += row.Int(3);
  stats.sum_ns += row.Int(4);
  stats.sum_bytes += row.Int(7);
}

}  // namespace

Result<int64_t> CountRows(const StatsRequest& request, int64_t limit) {
  int64_t total_count = 0;
  for (size_t i = 0; i < std::size(kSources) && total_count < limit; ++i) {
    const auto count =
        request.window.IsWholeTrace()
            ? request.db.QueryInt(kAllRows[i])
            : request.db.QueryInt(kSomeRows[i], {request.window.start_ns, request.window.end_ns,
                                                 limit - total_count});
    if (!count.ok()) return count.error();
    total_count += count.value();
  }
  return total_count;
}

Result<std::vector<OperationStats>> StatsOfRows(const StatsRequest& request) {
  std::vector<OperationStats> out;
  for (const SourceSql& source : kSources)
    GPUWHY_RETURN_IF_ERROR(AddSource(request, source, out));
  return out;
}

Result<RollUpStats> StatsOfRollUps(const StatsRequest& request, bool with_percentiles) {
  RollUpStats out{.start_ns = INT64_MAX};
  std::map<std::pair<std::string_view, int64_t>, RollUpGroup> groups;
  const ProcessFilter filter(request.process_ids);
  Status damaged;
  GPUWHY_RETURN_IF_ERROR(request.db.Query(
      "SELECT source, name_id, event_count, stored_count, sum_ns, min_ns, max_ns, sum_bytes, "
      "CASE WHEN ?3 THEN histogram ELSE NULL END, bucket_ns, width_ns, process_id, "
      "histogram IS NOT NULL FROM latency WHERE bucket_ns < ?2 AND bucket_ns + width_ns > ?1",
      {request.window.start_ns, request.window.end_ns, int64_t{with_percentiles}},
      [&](const Row& row) {
        const std::string_view source = KnownSource(row.Text(0));
        if (source.empty() || !filter.Has(row, 11)) return;
        RollUpGroup& group = groups[{source, row.Int(1)}];
        AddRollUp(row, group);
        group.has_histogram = group.has_histogram && !row.IsNull(8);
        if (Status merged = group.histogram.Add(row.Blob(8)); !merged.ok())
          damaged = std::move(merged);
        out.start_ns = std::min(out.start_ns, row.Int(9));
        out.end_ns = std::max(out.end_ns, row.Int(9) + row.Int(10));
        out.width_ns = std::max(out.width_ns, row.Int(10));
        out.has_histograms = out.has_histograms || row.Int(12) != 0;
      }));
  GPUWHY_RETURN_IF_ERROR(damaged);
  const Names names(request.db);
  for (auto& [key, group] : groups) {
    OperationStats stats = std::move(group.stats);
    stats.source = key.first;
    GPUWHY_ASSIGN_OR_RETURN(stats.name, names.Text(key.second));
    if (group.has_histogram) {
      stats.p50_ns = std::clamp(group.histogram.Percentile(0.50), stats.min_ns, stats.max_ns);
      stats.p95_ns = std::clamp(group.histogram.Percentile(0.95), stats.min_ns, stats.max_ns);
      stats.p99_ns = std::clamp(group.histogram.Percentile(0.99), stats.min_ns, stats.max_ns);
    }
    if (stats.event_count > 0) out.operations.push_back(std::move(stats));
  }
  return out;
}

}  // namespace gpuwhy
