// SPDX-License-Identifier: Apache-2.0
// Keeps the file of a long recording within a size: the oldest rows go, roll-ups, names, processes
// and losses stay. Pages that become free are used again, so the file stops growing; it does not
// shrink. Works inside of the caller's transaction. One thread.
#pragma once

#include <cstdint>

#include "collectors/recorder.h"
#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

class Retention {
 public:
  // `max_bytes` 0: everything is kept.
  Retention(const TraceDb& db, Recorder& recorder, int64_t max_bytes)
      : db_(db), recorder_(recorder), max_bytes_(max_bytes) {}

  // Deletes what is oldest when the file is nearly full, for a bounded time a call. The last second
  // before `now_ns` is never touched.
  Status Trim(int64_t now_ns);

 private:
  Result<int64_t> UsedBytes() const;
  Result<int64_t> OldestNs() const;
  Status DeleteOldest(int64_t now_ns);
  Status DeleteBefore(int64_t cutoff_ns);
  Status DeleteOrphans();
  Status Tell();

  const TraceDb& db_;
  Recorder& recorder_;
  int64_t max_bytes_;
  int64_t first_ns_ = 0;   // start of the oldest row that was deleted
  int64_t cutoff_ns_ = 0;  // rows before it are gone
  int64_t deleted_count_ = 0;
};

}  // namespace gpuwhy
