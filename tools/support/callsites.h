// SPDX-License-Identifier: Apache-2.0
// Recorded call stacks as one line of text, innermost function first:
// "libc10.so!alloc_block <- libtorch.so!empty_cuda <- train (train.py:12)". Each callsite and frame
// is read once. One handle, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

// A function name fit for a line: without parameters and template arguments, cleaned and cut.
std::string ShortFunctionName(std::string_view name);

// Joins frames, innermost first, and says how many more there were.
std::string JoinStack(const std::vector<std::string>& frames, size_t depth);

class Callsites {
 public:
  explicit Callsites(const TraceDb& db) : db_(db) {}
  Result<std::string> Describe(int64_t callsite_id, size_t depth);

 private:
  struct Node {
    int64_t parent_id = 0;  // 0 = outermost
    int64_t frame_id = 0;
  };
  Result<Node> NodeOf(int64_t callsite_id);
  Result<std::string> FrameOf(int64_t frame_id);

  const TraceDb& db_;
  std::unordered_map<int64_t, Node> nodes_;
  std::unordered_map<int64_t, std::string> frames_;
};

}  // namespace gpuwhy
