// SPDX-License-Identifier: Apache-2.0
#include "collectors/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace gpuwhy {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kChunkNs = kSecond / 4;
// Room for what one second writes, and for not having to delete in each.
constexpr double kFullShare = 0.85;
constexpr double kTrimmedShare = 0.75;
// Nobody reads the kernel's ring meanwhile.
constexpr auto kLongest = std::chrono::milliseconds(400);

constexpr LossKind kRowsExpired{
    "rows_expired", LossSeverity::kInfo,
    "the database had reached its size: the oldest rows were deleted; roll-ups are complete",
    "keep more with a larger --max-db"};

constexpr std::string_view kOldest[] = {
    "SELECT min(start_ns) FROM api_call",   "SELECT min(start_ns) FROM off_cpu",
    "SELECT min(start_ns) FROM host_event", "SELECT min(start_ns) FROM range",
    "SELECT min(time_ns) FROM sample",
};
constexpr std::string_view kDeletes[] = {
    "DELETE FROM api_call WHERE start_ns < ?1",
    "DELETE FROM off_cpu WHERE start_ns < ?1",
    "DELETE FROM host_event WHERE start_ns < ?1",
    "DELETE FROM range WHERE start_ns < ?1",
    "DELETE FROM sample WHERE time_ns < ?1",
    "DELETE FROM counter_value WHERE counter_id IN (SELECT id FROM counter) AND time_ns < ?1",
};

}  // namespace

Result<int64_t> Retention::UsedBytes() const {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t pages, db_.QueryInt("PRAGMA page_count"));
  GPUWHY_ASSIGN_OR_RETURN(const int64_t free_pages, db_.QueryInt("PRAGMA freelist_count"));
  GPUWHY_ASSIGN_OR_RETURN(const int64_t page_bytes, db_.QueryInt("PRAGMA page_size"));
  return (pages - free_pages) * page_bytes;
}

Result<int64_t> Retention::OldestNs() const {
  int64_t oldest_ns = INT64_MAX;
  for (const std::string_view sql : kOldest) {
    GPUWHY_ASSIGN_OR_RETURN(const int64_t start_ns, db_.QueryInt(sql));
    if (start_ns != 0) oldest_ns = std::min(oldest_ns, start_ns);
  }
  return oldest_ns;
}

Status Retention::Trim(int64_t now_ns) {
  if (max_bytes_ == 0) return {};
  GPUWHY_ASSIGN_OR_RETURN(const int64_t used_bytes, UsedBytes());
  if (static_cast<double>(used_bytes) < kFullShare * static_cast<double>(max_bytes_)) return {};
  const int64_t deleted_before = deleted_count_;
  GPUWHY_RETURN_IF_ERROR(DeleteOldest(now_ns));
  if (deleted_count_ == deleted_before) return {};
  GPUWHY_RETURN_IF_ERROR(DeleteOrphans());
  return Tell();
}

Status Retention::DeleteOldest(int64_t now_ns) {
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (std::chrono::steady_clock::now() < end) {
    GPUWHY_ASSIGN_OR_RETURN(const int64_t used_bytes, UsedBytes());
    if (static_cast<double>(used_bytes) < kTrimmedShare * static_cast<double>(max_bytes_)) break;
    GPUWHY_ASSIGN_OR_RETURN(const int64_t oldest_ns, OldestNs());
    if (oldest_ns >= now_ns - kSecond) break;
    if (first_ns_ == 0) first_ns_ = oldest_ns;
    cutoff_ns_ = std::max(cutoff_ns_, std::min(oldest_ns + kChunkNs, now_ns - kSecond));
    GPUWHY_RETURN_IF_ERROR(DeleteBefore(cutoff_ns_));
  }
  return {};
}

Status Retention::DeleteBefore(int64_t cutoff_ns) {
  for (const std::string_view sql : kDeletes) {
    GPUWHY_RETURN_IF_ERROR(db_.Query(sql, {cutoff_ns}, [](const Row&) {}));
    deleted_count_ += sqlite3_changes(db_.handle());
  }
  return {};
}

// An inner call without the call that made it would be counted as nobody's.
Status Retention::DeleteOrphans() {
  GPUWHY_RETURN_IF_ERROR(db_.Query(
      "DELETE FROM api_call WHERE start_ns >= ?1 AND start_ns < ?2 AND parent_id IS NOT NULL AND "
      "NOT EXISTS (SELECT 1 FROM api_call p WHERE p.id = api_call.parent_id)",
      {cutoff_ns_, cutoff_ns_ + kSecond}, [](const Row&) {}));
  deleted_count_ += sqlite3_changes(db_.handle());
  return {};
}

Status Retention::Tell() {
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t start_ns,
      db_.QueryInt("SELECT start_ns FROM capture WHERE id = ?1", {recorder_.capture_id()}));
  recorder_.MarkSelective();
  recorder_.Count(kRowsExpired, 0, first_ns_);
  recorder_.Count(kRowsExpired, 0, cutoff_ns_);
  recorder_.SetLoss(kRowsExpired, deleted_count_);
  const int64_t begin_ns = start_ns == 0 ? first_ns_ : start_ns;
  recorder_.DescribeLoss(kRowsExpired,
                         fmt::format("rows cover the recording from its second {:.1f} on",
                                     static_cast<double>(cutoff_ns_ - begin_ns) / kSecond));
  return {};
}

}  // namespace gpuwhy
