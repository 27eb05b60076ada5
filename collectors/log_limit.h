// SPDX-License-Identifier: Apache-2.0
// Keeps the write-ahead log of a database bounded. The log is moved into the file as we go; while
// somebody reads an old state that cannot be done, and the log grows. Readers of ours are done in
// moments, but one that stops in the middle must not fill the disk: above the limit the owner is
// told to write nothing but the little that cannot be told later. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

class LogLimit {
 public:
  LogLimit(const TraceDb& db, int64_t limit_bytes);

  // After each commit, outside of transactions.
  Status Look();
  // Until the next look.
  bool is_full() const { return is_full_; }

 private:
  int64_t LogBytes() const;
  Result<bool> MoveIntoFile() const;

  const TraceDb& db_;
  int64_t limit_bytes_;
  std::string log_path_;
  bool is_full_ = false;
};

}  // namespace gpuwhy
