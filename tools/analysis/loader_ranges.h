// SPDX-License-Identifier: Apache-2.0
// Time that the feeding thread spent waiting for its data loader, and how much of it the device was
// idle for want of its next launch: in ranges that name the loader or, where no framework told,
// off its core until a worker process woke it.
#pragma once

#include <string>
#include <vector>

#include "tools/analysis/idle_picture.h"

namespace gpuwhy {

struct LoaderTime {
  bool is_known = false;      // the trace has loader ranges or wake-ups by workers
  bool is_hand_over = false;  // waits that workers ended, not ranges
  int64_t thread_id = 0;
  int64_t range_count = 0;
  int64_t range_ns = 0;  // union of the ranges of the thread
  int64_t idle_ns = 0;   // idle time of all devices that the ledger gives to the loader
  int64_t longest_id = 0;
  std::string name;                 // of the longest; untrusted
  std::vector<int64_t> worker_ids;  // processes that ended waits; of a hand-over only
  std::string sql;                  // returns row_count and covered_ns = range_ns
};

Result<LoaderTime> LoaderTimeOf(const TraceFacts& facts, const IdlePicture& picture);

}  // namespace gpuwhy
