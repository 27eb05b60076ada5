// SPDX-License-Identifier: Apache-2.0
// Names of address ranges in one block of memory, found by binary search: for tables that come as
// text, of JIT compilers and of the kernel. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwhy {

struct NamedRange {
  uint64_t start = 0;
  uint64_t size_bytes = 0;
  std::string_view name;  // valid until the next Add
};

class NamedRanges {
 public:
  void Add(uint64_t start, uint64_t size_bytes, std::string_view name);
  // To be called after the last Add and before Find. Of ranges with one start, the last added
  // stays.
  void Sort();
  // The range with the nearest start at or below the address, if it holds it.
  std::optional<NamedRange> Find(uint64_t address) const;
  // Sets the size of every range to reach up to the next, `limit_bytes` at most.
  void CloseGaps(uint64_t limit_bytes);

  size_t size() const { return entries_.size(); }
  uint64_t memory_bytes() const { return names_.capacity() + entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    uint64_t start;
    uint32_t size_bytes;
    uint32_t name;  // offset of text that ends with a NUL
  };

  std::vector<Entry> entries_;
  std::string names_;
};

}  // namespace gpuwhy
