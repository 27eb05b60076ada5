// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/stack_merge.h"

#include <algorithm>
#include <cstddef>

namespace gpuwhy {
namespace {

// Whether Python frames run at this native frame, or just inside of it.
bool RunsPython(const std::vector<NativeStackFrame>& native, size_t at) {
  const FrameRole role = native[at].role;
  if (role != FrameRole::kEntrance) return role == FrameRole::kLoop;
  const FrameRole inner = at == 0 ? FrameRole::kOther : native[at - 1].role;
  return inner == FrameRole::kOther;
}

// Loops that have no Python frame yet, or no longer: the innermost.
ptrdiff_t CountIdleLoops(const std::vector<NativeStackFrame>& native,
                         const std::vector<PythonStackFrame>& python) {
  auto runs = std::ranges::count_if(python, &PythonStackFrame::is_entry);
  if (!python.empty() && !python.back().is_entry) ++runs;
  ptrdiff_t loops = 0;
  for (size_t at = 0; at < native.size(); ++at)
    loops += RunsPython(native, at) ? 1 : 0;
  return std::max<ptrdiff_t>(0, loops - runs);
}

}  // namespace

// Compilers split cold parts off; 3.14 may have a function for each instruction.
FrameRole RoleOf(std::string_view function) {
  if (function.starts_with("_PyEval_EvalFrameDefault")) return FrameRole::kLoop;
  if (function.starts_with("_TAIL_CALL_")) return FrameRole::kLoop;
  for (const std::string_view entrance : {"PyEval_EvalCode", "_PyEval_Vector"}) {
    if (function == entrance) return FrameRole::kEntrance;
  }
  return FrameRole::kOther;
}

std::vector<int64_t> MergeStacks(const std::vector<NativeStackFrame>& native,
                                 const std::vector<PythonStackFrame>& python,
                                 bool python_is_truncated) {
  std::vector<int64_t> merged;
  ptrdiff_t idle_count = python_is_truncated ? 0 : CountIdleLoops(native, python);
  auto next = python.begin();
  for (size_t at = 0; at < native.size(); ++at) {
    const bool is_run = RunsPython(native, at) && next != python.end() && idle_count-- <= 0;
    for (bool is_end = !is_run; !is_end && next != python.end(); ++next) {
      merged.push_back(next->frame_id);
      is_end = next->is_entry;
    }
    const bool is_replaced = is_run && native[at].role == FrameRole::kLoop;
    const bool is_broken = !python.empty() && native[at].role == FrameRole::kNoCode;
    if (!is_replaced && !is_broken) merged.push_back(native[at].frame_id);
  }
  for (; next != python.end(); ++next)
    merged.push_back(next->frame_id);
  return merged;
}

}  // namespace gpuwhy
