// SPDX-License-Identifier: Apache-2.0
// One frame as `perf script` prints it, innermost first:
//   ffffffffa9d15abf vma_complete+0xcf ([kernel.kallsyms])
//       7d18cf575c36 [unknown] ([vdso])
//             401136 std::max<int> (inlined)
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuwhy::perf {

struct FrameLine {
  std::string_view address;  // hexadecimal, as printed
  std::string_view symbol;   // without the offset; empty when perf knows none
  std::string_view module;   // empty when perf knows none
  bool is_inlined = false;   // into the frame that follows, whose module it shares
};

std::optional<FrameLine> ParseFrameLine(std::string_view line);

// "main.c:17", which perf script prints below a frame with -F +srcline.
bool IsSourceLine(std::string_view line);

// "name+0x1a" -> "name": the offset would make one function many.
std::string_view WithoutHexOffset(std::string_view symbol);

}  // namespace gpuwhy::perf
