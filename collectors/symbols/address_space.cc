// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/address_space.h"

#include <utility>

namespace gpuwhy {

void AddressSpace::Put(const CodeRange& range) {
  Clear(range.start, range.end);
  ranges_.emplace(range.start, range);
}

// What reaches into the range is cut, what lies around it is split.
void AddressSpace::Clear(uint64_t start, uint64_t end) {
  auto at = ranges_.lower_bound(start);
  if (at != ranges_.begin() && std::prev(at)->second.end > start) --at;
  while (at != ranges_.end() && at->second.start < end) {
    const CodeRange old = std::move(at->second);
    at = ranges_.erase(at);
    if (old.start < start)
      ranges_.emplace(old.start, CodeRange{old.start, start, old.file_offset, old.module});
    if (old.end > end) {
      ranges_.emplace(end,
                      CodeRange{end, old.end, old.file_offset + (end - old.start), old.module});
    }
  }
}

const CodeRange* AddressSpace::Find(uint64_t address) const {
  const auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  const CodeRange& range = std::prev(next)->second;
  return address < range.end ? &range : nullptr;
}

}  // namespace gpuwhy
