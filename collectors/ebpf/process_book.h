// SPDX-License-Identifier: Apache-2.0
// Which rows the process and thread numbers of events mean. Numbers are reused, so fork, exec and
// exit move a number on to a new row. Names and command lines are taken from /proc when a process
// is first seen; of threads that are no targets, from what the kernel side noted. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collectors/ebpf/wire.h"
#include "collectors/recorder.h"

namespace gpuwhy {

class ProcessBook {
 public:
  using LookUpOther = std::function<bool(uint32_t tid, OtherThread& other)>;

  // Times become Unix time by adding `offset_ns`. `look_up` tells the name of threads that are no
  // targets.
  ProcessBook(Recorder& recorder, int64_t offset_ns, LookUpOther look_up)
      : recorder_(recorder), offset_ns_(offset_ns), look_up_(std::move(look_up)) {}

  // Makes the rows of a process that is followed, with all that /proc knows.
  int64_t Follow(uint32_t tgid);
  int64_t Process(uint32_t tgid);
  int64_t Thread(uint32_t tgid, uint32_t tid);
  // The same for a thread that need not be a target; nothing for number 0, the idle task.
  OptionalId OtherThread(uint32_t tgid, uint32_t tid);
  void OnChange(const ProcessEvent& event);
  // Once a second: forgets what had ended before the last call. Until then late events and roll-ups
  // still find their rows. Returns the processes among it.
  std::unordered_set<uint32_t> ForgetEnded();
  bool IsFollowed(uint32_t tgid) const {
    return processes_.contains(tgid) && !others_.contains(tgid);
  }

 private:
  struct ThreadKey {
    uint32_t tgid;
    uint32_t tid;
    bool operator==(const ThreadKey&) const = default;
  };
  struct ThreadKeyHash {
    size_t operator()(const ThreadKey& key) const {
      return std::hash<uint64_t>()(uint64_t{key.tgid} << 32U | key.tid);
    }
  };

  int64_t AddProcess(uint32_t tgid, const ProcessFacts& facts);
  int64_t AddThread(uint32_t tgid, uint32_t tid, const ThreadFacts& facts);
  void OnFork(const ProcessEvent& event);
  void OnExec(const ProcessEvent& event);
  void OnRename(const ProcessEvent& event);
  void OnExit(const ProcessEvent& event);
  void FindEndedOthers();
  void AddInstant(const ProcessEvent& event, std::string_view kind, OptionalId other);

  Recorder& recorder_;
  int64_t offset_ns_;
  LookUpOther look_up_;
  std::unordered_map<uint32_t, int64_t> processes_;  // row by tgid
  std::unordered_map<ThreadKey, int64_t, ThreadKeyHash> threads_;
  // Who is no target: seen as waker, preemptor or lock holder. The kernel side tells nothing of
  // their end.
  std::unordered_set<uint32_t> others_;
  struct Ended {
    ThreadKey key;
    int64_t row;  // a number that was given to another since has another one
    bool is_process;
  };
  std::vector<Ended> ended_;          // since the last ForgetEnded
  std::vector<Ended> ended_earlier_;  // before it
};

}  // namespace gpuwhy
