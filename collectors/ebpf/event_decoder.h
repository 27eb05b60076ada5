// SPDX-License-Identifier: Apache-2.0
// Events of the kernel side to rows: the one place where CLOCK_MONOTONIC becomes Unix time and
// numbers become texts. One thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <string_view>
#include <utility>

#include "collectors/ebpf/call_rows.h"
#include "collectors/ebpf/process_book.h"
#include "collectors/ebpf/stack_book.h"
#include "collectors/ebpf/wire.h"
#include "collectors/recorder.h"

namespace gpuwhy {

// Texts of columns off_cpu.reason and host_event.kind.
std::string_view TextOf(OffCpuReason reason);
std::string_view TextOf(HostKind kind);

class EventDecoder {
 public:
  EventDecoder(Recorder& recorder, ProcessBook& processes, StackBook& stacks, CallRows& calls,
               int64_t offset_ns)
      : recorder_(recorder),
        processes_(processes),
        stacks_(stacks),
        calls_(calls),
        offset_ns_(offset_ns) {}

  void Decode(const EventHeader& header, size_t size_bytes);
  // Processes whose libraries have changed since the last call; when every GPU user is followed, of
  // those too that are no targets yet.
  std::map<pid_t, int64_t> TakeChanged() { return std::exchange(changed_, {}); }

 private:
  void Decode(const CallEvent& event);
  void Decode(const OffCpuEvent& event);
  void Decode(const HostEvent& event);
  void Decode(const ProcessEvent& event);
  void Decode(const SampleEvent& event);
  int64_t UnixNs(uint64_t monotonic_ns) const {
    return static_cast<int64_t>(monotonic_ns) + offset_ns_;
  }

  Recorder& recorder_;
  ProcessBook& processes_;
  StackBook& stacks_;
  CallRows& calls_;
  int64_t offset_ns_;
  std::map<pid_t, int64_t> changed_;  // CLOCK_MONOTONIC of the first time
};

}  // namespace gpuwhy
