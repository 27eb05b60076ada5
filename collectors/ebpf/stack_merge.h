// SPDX-License-Identifier: Apache-2.0
// Joins the native and the Python stack of one moment: where C runs the interpreter's loop, the
// Python frames that this loop runs take its place. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gpuwhy {

// What a native frame is to the interpreter.
enum class FrameRole {
  kOther,
  kLoop,      // runs Python frames
  kEntrance,  // calls the loop, at once: a frame inside of it is the loop, whatever its name
  kNoCode,    // no code is at its address: the stack is broken there
};

struct NativeStackFrame {
  int64_t frame_id = 0;
  FrameRole role = FrameRole::kOther;
};

struct PythonStackFrame {
  int64_t frame_id = 0;
  bool is_entry = false;  // the outermost that its loop runs
};

FrameRole RoleOf(std::string_view function);

// All innermost first. Interpreters are mostly built without frame pointers, so that the native
// stack breaks there: Python frames whose loop it lacks become the outermost, and addresses without
// code are left out.
std::vector<int64_t> MergeStacks(const std::vector<NativeStackFrame>& native,
                                 const std::vector<PythonStackFrame>& python,
                                 bool python_is_truncated);

}  // namespace gpuwhy
