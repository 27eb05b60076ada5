// SPDX-License-Identifier: Apache-2.0
// When one process had work queued for its device, as its calls alone tell: from a launch or copy
// until a wait that covers it has returned. Takes calls as they return. One thread.
//
// Kept on the safe side, so that idle time is never claimed without proof: work that nobody waited
// for counts as queued until the end, and the legacy default stream is taken to tie no other
// streams together.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "collectors/queue/queue_role.h"

namespace gpuwhy {

struct QueueCall {
  QueueRole role = QueueRole::kNone;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t stream = 0;  // handle
  int64_t event = 0;   // handle
  int64_t row_id = 0;  // of api_call
};

struct QueueStretch {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t first_call_id = 0;
  std::optional<int64_t> last_call_id;  // unset: nobody waited
};

class DeviceQueue {
 public:
  using OnWork = std::function<void(const QueueStretch&)>;
  explicit DeviceQueue(OnWork on_work) : on_work_(std::move(on_work)) {}

  // A call that succeeded. Waits cover what had been submitted when they began.
  void Add(const QueueCall& call);
  // Closes what is still queued with the last call.
  void Finish();

 private:
  // How much of each stream: the number of its last piece of work that is meant.
  using Frontier = std::map<int64_t, int64_t>;
  struct Stream {
    int64_t submitted = 0;         // number of the last piece of work
    int64_t done = 0;              // proven to be finished up to here
    std::deque<int64_t> start_ns;  // of the pieces after `done`
    Frontier depends;              // what it had to wait for
    bool is_capturing = false;
  };

  Frontier HeldBy(int64_t stream, int64_t time_ns);
  Frontier HeldByAll(int64_t time_ns);
  void Submit(const QueueCall& call);
  void Prove(const Frontier& done, const QueueCall& wait);
  void EndCapture();

  OnWork on_work_;
  std::unordered_map<int64_t, Stream> streams_;
  std::unordered_map<int64_t, Frontier> events_;
  std::set<int64_t> captured_events_;
  int64_t outstanding_count_ = 0;  // streams with work that is not proven to be finished
  QueueStretch open_;              // first_call_id 0: nothing is queued
  int64_t last_end_ns_ = 0;
};

}  // namespace gpuwhy
