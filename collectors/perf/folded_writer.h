// SPDX-License-Identifier: Apache-2.0
// Writes lines of folded stacks as samples. There is one process; each outermost frame, which is
// the thread's name where the program that folded knew it, makes a thread. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/perf/folded_line.h"
#include "collectors/recorder.h"

namespace gpuwhy::perf {

class FoldedWriter {
 public:
  explicit FoldedWriter(Recorder& recorder) : recorder_(recorder) {}

  void Take(std::string_view line);
  int64_t StackCount() const { return stack_count_; }

 private:
  void Write(const FoldedLine& line);
  int64_t FrameOf(std::string_view text);
  int64_t ThreadOf(std::string_view outermost);

  Recorder& recorder_;
  std::unordered_map<std::string, int64_t> frames_;
  std::unordered_map<std::string, int64_t> threads_;
  std::vector<int64_t> stack_;
  int64_t total_weight_ = 0;
  int64_t stack_count_ = 0;
};

}  // namespace gpuwhy::perf
