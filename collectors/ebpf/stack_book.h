// SPDX-License-Identifier: Apache-2.0
// Turns the stacks that events name by key into rows of callsite and frame. Each distinct stack is
// read from the kernel and resolved once. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collectors/ebpf/wire.h"
#include "collectors/recorder.h"
#include "collectors/symbols/symbolizer.h"

namespace gpuwhy {

class StackBook {
 public:
  using ReadStack = std::function<bool(uint64_t key, StackValue& value)>;

  StackBook(Recorder& recorder, ReadStack read) : recorder_(recorder), read_(std::move(read)) {}

  // Callsites by key; nothing for key 0 and for stacks that the kernel no longer has (counted).
  OptionalId User(uint64_t key, uint32_t tgid) { return Of(key, 0, tgid); }
  OptionalId Kernel(uint64_t key) { return Of(0, key, 0); }
  // Kernel frames on top of user frames, as one stack.
  OptionalId Both(uint64_t user_key, uint64_t kernel_key, uint32_t tgid) {
    return Of(user_key, kernel_key, tgid);
  }
  // The program or its libraries have changed, or it is new.
  void Remember(uint32_t tgid);
  // These processes have ended and their last events are read.
  void Forget(const std::unordered_set<uint32_t>& tgids);
  const Symbolizer& symbolizer() const { return symbolizer_; }

 private:
  OptionalId Of(uint64_t user_key, uint64_t kernel_key, uint32_t tgid);
  void AddFrames(uint64_t key, uint32_t tgid, std::vector<int64_t>& frames);
  int64_t FrameOf(uint64_t address, uint32_t tgid);

  Recorder& recorder_;
  ReadStack read_;
  Symbolizer symbolizer_;
  std::unordered_set<uint32_t> remembered_;
  struct Known {
    OptionalId callsite;
    uint32_t tgid;  // 0: kernel frames only
  };
  std::unordered_map<uint64_t, Known> callsites_;  // by both keys
};

}  // namespace gpuwhy
