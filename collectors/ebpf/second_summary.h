// SPDX-License-Identifier: Apache-2.0
// What one second of a live recording was, for those who watch it: data without methods, a copy of
// its own. Names are as the kernel and the programs gave them: clean them before they are shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/roll_ups.h"
#include "schema/histogram.h"

namespace gpuwhy {

// All calls, waits or host events of one name, over all processes.
struct OperationSecond {
  EventSource source = EventSource::kApiCall;
  std::string name;
  int64_t event_count = 0;
  int64_t sum_ns = 0;
  int64_t max_ns = 0;
  int64_t sum_bytes = 0;
  Histogram histogram;
};

struct ThreadLabel {
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string name;  // empty when it ended before anybody asked
};

// Waits of one thread that ended in this second and that another thread ended or caused.
struct WaitPair {
  ThreadLabel waiter;
  ThreadLabel other;   // woke it, took its core or held its lock
  std::string reason;  // off_cpu.reason or host_event.kind
  int64_t wait_count = 0;
  int64_t sum_ns = 0;
};

struct LossSecond {
  std::string name;
  int64_t total_count = 0;  // since the start
};

struct SecondSummary {
  std::vector<OperationSecond> operations;  // longest in sum first
  std::vector<WaitPair> waits;              // longest in sum first, the top of them
  int64_t unlisted_wait_ns = 0;             // of pairs beyond those
  int64_t event_count = 0;
  int64_t total_event_count = 0;   // counted since the start
  int64_t total_stored_count = 0;  // of these, rows
  int64_t target_count = 0;        // processes followed now
  std::vector<LossSecond> losses;  // data loss only
};

}  // namespace gpuwhy
