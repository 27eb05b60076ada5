// SPDX-License-Identifier: Apache-2.0
#include "collectors/log_limit.h"

#include <filesystem>

namespace gpuwhy {
namespace {

constexpr int kPatienceMs = 100;  // for readers: the kernel's ring fills meanwhile
constexpr int kUsualPatienceMs = 2000;

}  // namespace

LogLimit::LogLimit(const TraceDb& db, int64_t limit_bytes)
    : db_(db), limit_bytes_(limit_bytes), log_path_(db.uri() + "-wal") {}

int64_t LogLimit::LogBytes() const {
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(log_path_, failure);
  return failure ? 0 : static_cast<int64_t>(bytes);
}

Status LogLimit::Look() {
  const int64_t bytes = LogBytes();
  is_full_ = is_full_ && bytes >= limit_bytes_ / 2;
  if (bytes < limit_bytes_ / 2) return {};
  GPUWHY_ASSIGN_OR_RETURN(const bool is_moved, MoveIntoFile());
  is_full_ = !is_moved && (is_full_ || bytes >= limit_bytes_);
  return {};
}

// False when a reader of an old state was in the way all the time.
Result<bool> LogLimit::MoveIntoFile() const {
  sqlite3_busy_timeout(db_.handle(), kPatienceMs);
  const auto is_busy = db_.QueryInt("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_busy_timeout(db_.handle(), kUsualPatienceMs);
  if (!is_busy.ok()) return is_busy.error();
  return is_busy.value() == 0;
}

}  // namespace gpuwhy
