// SPDX-License-Identifier: Apache-2.0
// Spans of host threads: NVTX ranges and marks, calls into the operating system's libraries (OSRT),
// and what profiling itself cost. One thread.
#pragma once

#include <map>
#include <string>

#include "collectors/nsys/conversion.h"

namespace gpuwhy::nsys {

class RangeRows {
 public:
  explicit RangeRows(Conversion& conversion) : conversion_(conversion) {}
  Status Convert();

 private:
  Status ConvertNvtx();
  Status ConvertNamed(const char* table, const char* category);
  void AddNvtx(const Row& row);
  std::string RawText(const Row& row) const;
  std::string TextOfNvtx(const Row& row) const;

  Conversion& conversion_;
  std::map<std::pair<int64_t, int64_t>, std::string> domains_;  // by process and number
};

// What torch.autograd.profiler.emit_nvtx writes: "aten::add, seq = 12, op_id = 34, sizes = [[2]]".
struct NvtxName {
  std::string_view name;
  std::optional<int64_t> sequence_id;
  std::string_view shapes;
};
NvtxName SplitNvtxName(std::string_view text);

}  // namespace gpuwhy::nsys
