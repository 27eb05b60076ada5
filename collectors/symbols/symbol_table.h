// SPDX-License-Identifier: Apache-2.0
// Finds the function of an address of one ELF file: 16 bytes for each function, names stay in the
// file and are read when they are asked for. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectors/symbols/elf_symbols.h"
#include "schema/base/result.h"

namespace gpuwhy {

struct SymbolHit {
  uint64_t start_address = 0;
  uint64_t name_file_offset = 0;
};

class SymbolTable {
 public:
  static Result<SymbolTable> Load(const ElfFile& elf);

  // Nothing for an address that is in no function, such as those of functions stripped away.
  std::optional<SymbolHit> Find(uint64_t address) const;
  size_t size() const { return entries_.size(); }
  uint64_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }
  // Entries of the file that could not be used.
  int64_t skipped_count() const { return skipped_count_; }

 private:
  struct Entry {
    uint64_t address;
    uint32_t size_bytes;  // 0: up to the next
    uint32_t name;        // after names_start_
  };

  std::vector<Entry> entries_;  // by address
  uint64_t names_start_ = 0;
  int64_t skipped_count_ = 0;
};

// The name at this place of the file, without its version; "" when it cannot be read.
std::string ReadName(int fd, uint64_t file_offset);

}  // namespace gpuwhy
