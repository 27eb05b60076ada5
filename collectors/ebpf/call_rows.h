// SPDX-License-Identifier: Apache-2.0
// Turns CallEvents into api_call rows. A driver call returns before the runtime call that made it,
// but its row names that call's row: the inner calls of a thread wait here until the outermost one
// has returned. One thread.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/ebpf/wire.h"
#include "collectors/queue/queue_book.h"
#include "collectors/recorder.h"

namespace gpuwhy {

class CallRows {
 public:
  // Name ids by function id; times become Unix time by adding `offset_ns`.
  CallRows(Recorder& recorder, int64_t offset_ns)
      : recorder_(recorder), queues_(recorder), offset_ns_(offset_ns) {}

  void SetName(uint16_t function_id, std::string_view name);
  int64_t NameOf(uint16_t function_id) const { return names_.at(function_id); }
  const std::string& TextOf(uint16_t function_id) const { return texts_.at(function_id); }
  void Add(const CallEvent& event, int64_t thread_id, OptionalId callsite_id);
  // Writes what still waits for a call that will not return.
  void Flush();
  void FlushThread(uint32_t tid);
  // The process has ended, and what it had queued with it.
  void EndProcess(int64_t process_id) { queues_.EndProcess(process_id); }

 private:
  struct Waiting {
    CallEvent event;
    int64_t thread_id;
    OptionalId callsite_id;
  };
  using Calls = std::vector<Waiting>;

  int64_t Write(const Waiting& call, OptionalId parent_row);
  void WriteChildren(Calls& calls, uint32_t parent_call, OptionalId parent_row);

  Recorder& recorder_;
  QueueBook queues_;
  int64_t offset_ns_;
  std::unordered_map<uint16_t, int64_t> names_;
  std::unordered_map<uint16_t, std::string> texts_;  // of the same, for people who watch
  std::unordered_map<uint32_t, Calls> waiting_;      // by tid
};

}  // namespace gpuwhy
