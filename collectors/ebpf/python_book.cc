// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_book.h"

#include <algorithm>

#include "collectors/ebpf/losses.h"

namespace gpuwhy {

PythonFrames PythonBook::Frames(uint64_t key, uint32_t tgid) {
  PythonFrames found;
  if (key == 0) return found;
  PythonStack stack{};
  if (!read_stack_(key, stack)) {
    recorder_.Count(kStackGone);
    return found;
  }
  found.is_truncated = stack.is_truncated != 0;
  if (found.is_truncated) recorder_.Count(kStackTruncated);
  const uint32_t depth = std::min<uint32_t>(stack.depth, GPUWHY_PYTHON_DEPTH);
  for (uint32_t i = 0; i < depth; ++i) {
    found.frames.push_back({FrameOf(stack.frames[i], tgid), stack.frames[i].is_entry != 0});
  }
  return found;
}

int64_t PythonBook::FrameOf(const PythonFrame& frame, uint32_t tgid) {
  PythonFunction* function = FunctionOf(frame.code, tgid);
  if (function == nullptr) {
    return recorder_.InternFrame({.kind = "python", .function_name = "<unknown Python function>"});
  }
  bool is_exact = false;
  const int64_t line = function->LineAt(frame.instruction_bytes, is_exact);
  if (!is_exact) recorder_.Count(kPythonLineUnknown, 1, {}, function->name());
  return recorder_.InternFrame({.kind = "python",
                                .function_name = function->name(),
                                .file = function->file(),
                                .line = line});
}

PythonFunction* PythonBook::FunctionOf(uint64_t key, uint32_t tgid) {
  auto& functions = functions_[tgid];
  if (const auto known = functions.find(key); known != functions.end()) return &known->second;
  PythonCode code{};
  if (!read_code_(key, code)) {
    recorder_.Count(kPythonCodeGone);
    return nullptr;
  }
  return &functions.emplace(key, PythonFunction(code)).first->second;
}

}  // namespace gpuwhy
