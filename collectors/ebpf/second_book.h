// SPDX-License-Identifier: Apache-2.0
// Collects what happens in the current second of a recording and hands it out as a SecondSummary.
// It only reads what goes by on its way into the database. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "collectors/ebpf/call_rows.h"
#include "collectors/ebpf/roll_up_rows.h"
#include "collectors/ebpf/second_summary.h"
#include "collectors/ebpf/wait_book.h"

namespace gpuwhy {

class SecondBook {
 public:
  SecondBook(const CallRows& calls, WaitBook::NameOfGone name_of_gone)
      : calls_(calls), waits_(std::move(name_of_gone)) {}

  void See(const EventHeader& header, size_t size_bytes) { waits_.Add(header, size_bytes); }
  void See(const std::map<RollUpRows::Key, RollUpRows::Totals>& pending);
  // What was seen since the last call; targets and losses are the caller's to add.
  SecondSummary Take();

  int64_t total_event_count() const { return total_event_count_; }
  int64_t total_stored_count() const { return total_stored_count_; }

 private:
  const CallRows& calls_;
  WaitBook waits_;
  std::map<std::pair<uint16_t, uint16_t>, OperationSecond> operations_;  // by kind and sub
  int64_t event_count_ = 0;
  int64_t total_event_count_ = 0;
  int64_t total_stored_count_ = 0;
};

}  // namespace gpuwhy
