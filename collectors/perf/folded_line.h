// SPDX-License-Identifier: Apache-2.0
// One line of folded stacks, as FlameGraph's stackcollapse programs, inferno and py-spy write them:
//   python;train (train.py:17);cudaMemcpy;ioctl_[k] 42
// Frames from the outermost to the innermost, then a count. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpuwhy::perf {

// Of all lines together: SQL adds weights up in 64 bits.
inline constexpr int64_t kMaxFoldedWeight = int64_t{1} << 62;

struct FoldedLine {
  std::string_view stack;  // "python;train (train.py:17);cudaMemcpy;ioctl_[k]"
  int64_t weight_count = 0;
  bool is_rounded = false;      // the count had decimals
  bool has_two_counts = false;  // of difffolded.pl; the last is taken
};

enum class FoldedVerdict { kStack, kNothing, kNotUnderstood, kTooLarge };

// kNothing for blank lines and comments ("#", "//").
FoldedVerdict ParseFoldedLine(std::string_view line, FoldedLine& out);

// Cuts the outermost frame off the stack.
std::string_view TakeOutermost(std::string_view& stack);

}  // namespace gpuwhy::perf
