// SPDX-License-Identifier: Apache-2.0
// Native frames are 1, 2, ..., Python frames 100, 101, ...; innermost first.
#include "collectors/ebpf/stack_merge.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

using Ids = std::vector<int64_t>;
constexpr FrameRole kOther = FrameRole::kOther;
constexpr FrameRole kLoop = FrameRole::kLoop;
constexpr FrameRole kEntrance = FrameRole::kEntrance;
constexpr FrameRole kNoCode = FrameRole::kNoCode;

Ids Merge(const std::vector<FrameRole>& roles, const std::vector<bool>& are_entries,
          bool is_truncated = false) {
  std::vector<NativeStackFrame> native;
  for (const FrameRole role : roles)
    native.push_back({static_cast<int64_t>(native.size()) + 1, role});
  std::vector<PythonStackFrame> python;
  for (const bool is_entry : are_entries)
    python.push_back({static_cast<int64_t>(python.size()) + 100, is_entry});
  return MergeStacks(native, python, is_truncated);
}

}  // namespace

TEST_CASE("stack merge: Python frames take the place of the loop that runs them", "[python]") {
  CHECK(Merge({kOther, kLoop, kOther}, {false, true}) == Ids{1, 100, 101, 3});
}

TEST_CASE("stack merge: a C function that calls Python stands between", "[python]") {
  CHECK(Merge({kLoop, kOther, kLoop, kEntrance, kOther}, {true, false, true}) ==
        Ids{100, 2, 101, 102, 4, 5});
}

TEST_CASE("stack merge: a loop without a frame yet stays itself", "[python]") {
  CHECK(Merge({kLoop, kOther, kLoop, kOther}, {true}) == Ids{1, 2, 100, 4});
}

TEST_CASE("stack merge: the frame inside of an entrance is the loop, whatever its name",
          "[python]") {
  CHECK(Merge({kOther, kEntrance, kEntrance, kOther}, {false, true}) == Ids{1, 100, 101, 2, 3, 4});
}

TEST_CASE("stack merge: frames whose loop the native stack lacks become the outermost",
          "[python]") {
  CHECK(Merge({kOther, kNoCode}, {false, true}) == Ids{1, 100, 101});
  CHECK(Merge({kLoop, kNoCode}, {true, false, true}) == Ids{100, 101, 102});
  CHECK(Merge({}, {true}) == Ids{100});
}

TEST_CASE("stack merge: of a Python stack that was cut, the innermost belong to the innermost loop",
          "[python]") {
  CHECK(Merge({kLoop, kOther, kLoop, kOther, kLoop}, {true, false}, true) ==
        Ids{100, 2, 101, 4, 5});
}

TEST_CASE("stack merge: without Python frames the native stack stays as it is", "[python]") {
  CHECK(Merge({kLoop, kNoCode, kEntrance}, {}) == Ids{1, 2, 3});
}

TEST_CASE("stack merge: the loop is known by name, its cold parts too", "[python]") {
  CHECK(RoleOf("_PyEval_EvalFrameDefault") == kLoop);
  CHECK(RoleOf("_PyEval_EvalFrameDefault.cold") == kLoop);
  CHECK(RoleOf("PyEval_EvalCode") == kEntrance);
  CHECK(RoleOf("list_sort") == kOther);
}

}  // namespace gpuwhy
