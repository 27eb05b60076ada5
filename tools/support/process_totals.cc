// SPDX-License-Identifier: Apache-2.0
#include "tools/support/process_totals.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace gpuwhy {
namespace {

void Add(const Row& row, Total& total) {
  total.event_count += row.Int(4);
  total.sum_ns += row.Int(5);
  total.max_ns = std::max(total.max_ns, row.Int(6));
  total.sum_bytes += row.Int(7);
}

// cuLaunchKernel, but not cudaLaunchKernel.
bool IsDriverCall(std::string_view name) {
  return name.size() > 2 && name.starts_with("cu") &&
         std::isupper(static_cast<unsigned char>(name[2])) != 0;
}

bool IsRuntimeCall(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("hip");
}

// CUPTI's synchronisation records lie on the device's timeline but are no work.
bool IsSyncRecord(std::string_view name) {
  return name.ends_with(" Sync") || name == "Stream Wait Event";
}

void AddCall(const Row& row, std::string_view name, ProcessTotals& process) {
  const bool is_driver = IsDriverCall(name);
  if (!is_driver && !IsRuntimeCall(name)) return;
  Add(row, is_driver ? process.driver_calls : process.runtime_calls);
  auto& operations = process.cuda_operations;
  if (operations.empty() || operations.back().name != name) {
    operations.push_back({.name = std::string(name), .is_driver = is_driver});
  }
  Add(row, operations.back().total);
}

void AddRollUp(const Row& row, ProcessTotals& process) {
  const std::string_view source = row.Text(2);
  const std::string name(row.Text(3));
  if (source == "api_call") return AddCall(row, name, process);
  if (source == "gpu_op") return IsSyncRecord(name) ? void() : Add(row, process.gpu_ops);
  if (source == "off_cpu") {
    Add(row, process.off_cpu);
    if (!row.IsNull(1)) Add(row, process.off_cpu_of_threads[row.Int(1)]);
  }
  if (source != "host_event") return;
  if (name == "page_alloc") Add(row, process.page_allocs);
  if (name == "block_read") Add(row, process.block_reads);
  if (name == "block_write") Add(row, process.block_writes);
}

// Finds the first pair of intervals of different processes that overlap on one device.
class OverlapFinder {
 public:
  // In ascending order of start. Returns true when a pair is found.
  bool Add(int64_t device_id, int64_t process_id, int64_t start_ns, int64_t end_ns) {
    Last& last = last_[device_id];
    const bool is_other = last.process_id != 0 && last.process_id != process_id;
    if (is_other && start_ns < last.end_ns) {
      found_ = {.is_shared = true,
                .first_process_id = last.process_id,
                .second_process_id = process_id,
                .first_overlap_ns = start_ns};
      return true;
    }
    if (end_ns > last.end_ns) last = {process_id, end_ns};
    return false;
  }
  const Sharing& found() const { return found_; }

 private:
  struct Last {
    int64_t process_id = 0;
    int64_t end_ns = INT64_MIN;
  };
  std::unordered_map<int64_t, Last> last_;
  Sharing found_;
};

// device, process, start, duration; ascending by start.
Result<Sharing> FindOverlap(const TraceDb& db, std::string_view sql, const Window& window) {
  GPUWHY_ASSIGN_OR_RETURN(Statement statement, db.Prepare(sql));
  statement.Bind(1, window.start_ns);
  statement.Bind(2, window.end_ns);
  OverlapFinder finder;
  while (true) {
    GPUWHY_ASSIGN_OR_RETURN(const bool has_row, statement.Step());
    if (!has_row) break;
    const Row row = statement.row();
    if (finder.Add(row.Int(0), row.Int(1), row.Int(2), row.Int(2) + row.Int(3))) break;
  }
  return finder.found();
}

// Two processes used one device, the one before the other had ended; or nobody noted who did.
Result<bool> MayShare(const TraceDb& db) {
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t may_share,
      db.QueryInt("SELECT NOT EXISTS (SELECT 1 FROM gpu_process) OR EXISTS (SELECT 1 FROM "
                  "gpu_process a JOIN gpu_process b ON a.gpu_id = b.gpu_id AND a.process_id < "
                  "b.process_id AND a.first_ns < b.last_ns AND b.first_ns < a.last_ns)"));
  return may_share != 0;
}

}  // namespace

Result<AllTotals> LoadProcessTotals(const TraceDb& db, const Window& window) {
  AllTotals all{.start_ns = INT64_MAX};
  GPUWHY_RETURN_IF_ERROR(db.Query(
      "SELECT l.process_id, l.thread_id, l.source, n.text, sum(l.event_count), sum(l.sum_ns), "
      "max(l.max_ns), sum(l.sum_bytes), min(l.bucket_ns), max(l.bucket_ns + l.width_ns), "
      "max(l.width_ns) FROM latency l JOIN name n ON n.id = l.name_id "
      "WHERE l.bucket_ns < ?2 AND l.bucket_ns + l.width_ns > ?1 AND l.process_id IS NOT NULL "
      "GROUP BY l.process_id, l.source, n.text, l.thread_id ORDER BY 1, 3, 4",
      {window.start_ns, window.end_ns}, [&](const Row& row) {
        const int64_t process_id = row.Int(0);
        if (all.processes.empty() || all.processes.back().process_id != process_id) {
          all.processes.push_back({.process_id = process_id});
        }
        AddRollUp(row, all.processes.back());
        all.start_ns = std::min(all.start_ns, row.Int(8));
        all.end_ns = std::max(all.end_ns, row.Int(9));
        all.width_ns = std::max(all.width_ns, row.Int(10));
      }));
  return all;
}

bool IsTimeoutShaped(int64_t wait_ns) {
  constexpr int64_t kStepNs = 5'000'000'000;
  constexpr int64_t kSlackNs = 10'000'000;  // seen: 0.06 ms and 3.85 ms
  return wait_ns >= kStepNs && wait_ns % kStepNs <= kSlackNs;
}

Result<Sharing> FindSharing(const TraceDb& db, const Window& window) {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t has_device_records,
                          db.QueryInt("SELECT 1 FROM gpu_op LIMIT 1"));
  if (has_device_records == 0) {
    return FindOverlap(db,
                       "SELECT 0, t.process_id, c.start_ns, c.duration_ns FROM api_call c "
                       "JOIN thread t ON t.id = c.thread_id "
                       "WHERE c.start_ns >= ? AND c.start_ns < ? ORDER BY c.start_ns",
                       window);
  }
  GPUWHY_ASSIGN_OR_RETURN(const bool may_share, MayShare(db));
  if (!may_share) return Sharing{.is_measured_on_device = true};
  GPUWHY_ASSIGN_OR_RETURN(
      Sharing sharing, FindOverlap(db,
                                   "SELECT gpu_id, process_id, start_ns, duration_ns FROM gpu_op "
                                   "WHERE start_ns >= ? AND start_ns < ? AND kind <> 'sync' "
                                   "AND process_id IS NOT NULL ORDER BY start_ns",
                                   window));
  sharing.is_measured_on_device = true;
  return sharing;
}

}  // namespace gpuwhy
