// SPDX-License-Identifier: Apache-2.0
// Turns the stacks that events name by key into rows of callsite and frame. Each distinct stack is
// read from the kernel and resolved once. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collectors/ebpf/python_book.h"
#include "collectors/ebpf/stack_merge.h"
#include "collectors/ebpf/wire.h"
#include "collectors/recorder.h"
#include "collectors/symbols/symbolizer.h"

namespace gpuwhy {

class StackBook {
 public:
  using ReadStack = std::function<bool(uint64_t key, StackValue& value)>;

  // One moment of a thread: its stacks by key, 0 for none.
  struct Keys {
    uint64_t kernel = 0;
    uint64_t user = 0;
    uint64_t python = 0;
  };

  StackBook(Recorder& recorder, PythonBook& python, ReadStack read)
      : recorder_(recorder), python_(python), read_(std::move(read)) {}

  // Kernel frames on top of user frames, Python frames among these, as one callsite. Nothing for
  // no keys and for stacks that the kernel no longer has (counted).
  OptionalId Of(const Keys& keys, uint32_t tgid);
  OptionalId Kernel(uint64_t key) { return Of({.kernel = key}, 0); }
  // The program or its libraries have changed, or it is new.
  void Remember(uint32_t tgid);
  // These processes have ended and their last events are read.
  void Forget(const std::unordered_set<uint32_t>& tgids);
  const Symbolizer& symbolizer() const { return symbolizer_; }

 private:
  std::vector<NativeStackFrame> Frames(uint64_t key, uint32_t tgid);
  NativeStackFrame FrameOf(uint64_t address, uint32_t tgid);

  Recorder& recorder_;
  PythonBook& python_;
  ReadStack read_;
  Symbolizer symbolizer_;
  std::unordered_set<uint32_t> remembered_;
  struct Known {
    OptionalId callsite;
    uint32_t tgid;  // 0: kernel frames only
  };
  std::unordered_map<uint64_t, Known> callsites_;  // by all keys
};

}  // namespace gpuwhy
