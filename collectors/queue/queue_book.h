// SPDX-License-Identifier: Apache-2.0
// The device queues of all processes of a recording: takes api_call rows as they are written and
// writes rows of queued_work. Only outermost calls that succeeded count. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

#include "collectors/queue/device_queue.h"
#include "collectors/recorder.h"

namespace gpuwhy {

class QueueBook {
 public:
  explicit QueueBook(Recorder& recorder) : recorder_(recorder) {}

  // What calls of this name do.
  void SetName(int64_t name_id, std::string_view name);
  void Add(const ApiCallRow& call, int64_t row_id);
  void EndProcess(int64_t process_id);
  void Finish();

 private:
  struct Traits {
    QueueRole role = QueueRole::kNone;
    bool is_per_thread = false;  // stream 0 means the thread's own
  };

  Recorder& recorder_;
  std::unordered_map<int64_t, Traits> traits_;  // by name
  std::map<int64_t, DeviceQueue> queues_;       // by process row
};

}  // namespace gpuwhy
