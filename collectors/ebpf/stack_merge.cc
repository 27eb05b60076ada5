// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/stack_merge.h"

#include <algorithm>
#include <cstddef>

namespace gpuwhy {
namespace {

// Loops that have no Python frame yet, or no longer: the innermost.
ptrdiff_t CountIdleLoops(const std::vector<NativeStackFrame>& native,
                         const std::vector<PythonStackFrame>& python) {
  auto runs = std::ranges::count_if(python, &PythonStackFrame::is_entry);
  if (!python.empty() && !python.back().is_entry) ++runs;
  return std::max<ptrdiff_t>(
      0, std::ranges::count_if(native, &NativeStackFrame::is_interpreter) - runs);
}

}  // namespace

// Compilers split cold parts off; from 3.14 on clang makes a function of each instruction.
bool IsInterpreterLoop(std::string_view function) {
  return function.starts_with("_PyEval_EvalFrameDefault") || function.starts_with("_TAIL_CALL_");
}

std::vector<int64_t> MergeStacks(const std::vector<NativeStackFrame>& native,
                                 const std::vector<PythonStackFrame>& python,
                                 bool python_is_truncated) {
  std::vector<int64_t> merged;
  ptrdiff_t idle_count = python_is_truncated ? 0 : CountIdleLoops(native, python);
  auto next = python.begin();
  const auto add_run = [&] {
    for (bool is_end = false; !is_end && next != python.end(); ++next) {
      merged.push_back(next->frame_id);
      is_end = next->is_entry;
    }
  };
  for (const NativeStackFrame& frame : native) {
    const bool is_run = frame.is_interpreter && next != python.end() && idle_count-- <= 0;
    if (is_run) add_run();
    if (!is_run) merged.push_back(frame.frame_id);
  }
  for (; next != python.end(); ++next)
    merged.push_back(next->frame_id);
  return merged;
}

}  // namespace gpuwhy
