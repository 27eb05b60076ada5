// SPDX-License-Identifier: Apache-2.0
// One frame of a call stack as people read it. A value.
#pragma once

#include <cstdint>
#include <string>

namespace gpuwhy {

struct Frame {
  // Demangled. When not known, the place instead: "libcuda.so.1+0x1d2a30", or "0x7f1c3a001000"
  // where there is no module either.
  std::string function;
  std::string module;  // base name of the file, "[vdso]", "kernel", "[jit]"; "" when unknown
  // Into the function. When that is not known: the address as linked, what addr2line takes, or else
  // the place in the file.
  uint64_t offset_bytes = 0;
  bool is_known = false;    // `function` is a name
  std::string source_file;  // "" when the file has no debug information
  int64_t source_line = 0;
};

}  // namespace gpuwhy
