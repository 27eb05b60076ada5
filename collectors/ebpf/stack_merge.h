// SPDX-License-Identifier: Apache-2.0
// Joins the native and the Python stack of one moment: where C runs the interpreter's loop, the
// Python frames that this loop runs take its place. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gpuwhy {

struct NativeStackFrame {
  int64_t frame_id = 0;
  bool is_interpreter = false;  // the loop
};

struct PythonStackFrame {
  int64_t frame_id = 0;
  bool is_entry = false;  // the outermost that its loop runs
};

bool IsInterpreterLoop(std::string_view function);

// All innermost first. Python frames without a loop on the native stack, which is broken then,
// become the outermost.
std::vector<int64_t> MergeStacks(const std::vector<NativeStackFrame>& native,
                                 const std::vector<PythonStackFrame>& python,
                                 bool python_is_truncated);

}  // namespace gpuwhy
