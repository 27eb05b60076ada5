// SPDX-License-Identifier: Apache-2.0
// Functions of the running kernel, as /proc/kallsyms tells them:
//   ffffffff81000000 T _stext
//   ffffffffc0a01000 t nvidia_ioctl	[nvidia]
// kernel.kptr_restrict turns all addresses to zero: the table is then empty and says why. Loaded
// once: BPF programs and modules that come later are unknown. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collectors/symbols/frame.h"
#include "collectors/symbols/named_ranges.h"
#include "schema/base/result.h"

namespace gpuwhy {

class KernelSymbols {
 public:
  static Result<KernelSymbols> Load();
  static KernelSymbols Parse(std::string_view text);

  Frame Resolve(uint64_t address) const;
  // All addresses are zero: `sysctl kernel.kptr_restrict=1` and root bring them back.
  bool is_restricted() const { return is_restricted_; }
  size_t size() const { return functions_.size(); }
  uint64_t memory_bytes() const { return functions_.memory_bytes(); }
  int64_t skipped_line_count() const { return skipped_line_count_; }

 private:
  NamedRanges functions_;  // name, or "name\t[module]"
  bool is_restricted_ = false;
  int64_t skipped_line_count_ = 0;
};

}  // namespace gpuwhy
