// SPDX-License-Identifier: Apache-2.0
// Converts table events, in time order. Times are normalised: API calls carry their start, context
// switches, block I/O and socket calls their end. A driver call inside a runtime call on the same
// thread gets it as parent: Ingero records both. Context switches keep reason "unknown" and no
// runnable time, because Ingero does not record why a thread stopped. Their argument 1 in newer
// files is the task that left the core at the switch-in, which is not the one that took it: not
// used. One per node of an import; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/ingero/actors.h"
#include "collectors/ingero/op_table.h"
#include "collectors/ingero/row_statistics.h"
#include "collectors/ingero/stacks.h"

namespace gpuwhy::ingero {

struct Event {
  int64_t time_ns;
  int64_t pid;
  int64_t tid;
  int64_t source;
  int64_t op;
  int64_t duration_ns;
  int64_t arg0;
  int64_t arg1;
  int64_t return_code;
  int64_t stack_hash;
  std::string_view stack_ips;
};

class EventConverter {
 public:
  EventConverter(const SourceFile& file, Recorder& recorder, Actors& actors)
      : file_(file), recorder_(recorder), actors_(actors), ops_(file), stacks_(file, recorder) {}

  Status Convert(std::string_view node, const std::function<void(int64_t row_count)>& progress);
  RowStatistics& Statistics() { return statistics_; }
  OpTable& Ops() { return ops_; }
  int64_t RowCount() const { return row_count_; }

 private:
  struct OpenCall {
    int64_t end_ns;
    int64_t id;
  };

  void ConvertRow(const Row& row);
  bool Repair(const Row& row, Event& event);
  void AddEvent(const Event& event);
  void AddApiCall(const Event& event, const Op& op);
  void AddOffCpu(const Event& event);
  void AddHostEvent(const Event& event, const Op& op);
  void AddSummary(const Event& event, const Op& op);
  OptionalId OtherThread(const Event& event);
  int64_t ThreadOf(const Event& event);
  OptionalId Callsite(const Event& event);
  OptionalId ParentOf(const Event& event);

  const SourceFile& file_;
  Recorder& recorder_;
  Actors& actors_;
  OpTable ops_;
  Stacks stacks_;
  RowStatistics statistics_;
  Status status_;
  int64_t row_count_ = 0;
  std::unordered_map<int64_t, std::vector<OpenCall>> open_calls_;  // by tid, outermost first
};

}  // namespace gpuwhy::ingero
