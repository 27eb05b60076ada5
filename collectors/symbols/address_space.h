// SPDX-License-Identifier: Apache-2.0
// Which code was where in one process. Snapshots are laid over each other: what a library left is
// known until something else takes its place. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "collectors/symbols/symbol_module.h"

namespace gpuwhy {

struct CodeRange {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t file_offset = 0;  // of `start`
  // Shared by the processes that map the file, and gone with the last of them. Null: code without a
  // file, as JIT compilers make it.
  std::shared_ptr<SymbolModule> module;
};

class AddressSpace {
 public:
  void Put(const CodeRange& range);
  // Null when there never was code.
  const CodeRange* Find(uint64_t address) const;
  size_t size() const { return ranges_.size(); }

 private:
  void Clear(uint64_t start, uint64_t end);

  std::map<uint64_t, CodeRange> ranges_;  // by start; they do not overlap
};

}  // namespace gpuwhy
