// SPDX-License-Identifier: Apache-2.0
// Turns the Python stacks that events name by key into rows of frame. Each function is read from
// the kernel once. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "collectors/ebpf/python_code.h"
#include "collectors/ebpf/python_wire.h"
#include "collectors/ebpf/stack_merge.h"
#include "collectors/recorder.h"

namespace gpuwhy {

struct PythonFrames {
  std::vector<PythonStackFrame> frames;  // innermost first
  bool is_truncated = false;
};

class PythonBook {
 public:
  using ReadStack = std::function<bool(uint64_t key, PythonStack& value)>;
  using ReadCode = std::function<bool(uint64_t key, PythonCode& value)>;

  PythonBook(Recorder& recorder, ReadStack read_stack, ReadCode read_code)
      : recorder_(recorder), read_stack_(std::move(read_stack)), read_code_(std::move(read_code)) {}

  // Empty for key 0 and for a stack that the kernel no longer has (counted).
  PythonFrames Frames(uint64_t key, uint32_t tgid);
  void Forget(uint32_t tgid) { functions_.erase(tgid); }

 private:
  int64_t FrameOf(const PythonFrame& frame, uint32_t tgid);
  PythonFunction* FunctionOf(uint64_t key, uint32_t tgid);

  Recorder& recorder_;
  ReadStack read_stack_;
  ReadCode read_code_;
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, PythonFunction>> functions_;
};

}  // namespace gpuwhy
