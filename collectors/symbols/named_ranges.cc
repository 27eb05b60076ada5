// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/named_ranges.h"

#include <algorithm>

namespace gpuwhy {

void NamedRanges::Add(uint64_t start, uint64_t size_bytes, std::string_view name) {
  if (names_.size() + name.size() >= UINT32_MAX) return;  // readers bound their input far below
  const auto size = static_cast<uint32_t>(std::min<uint64_t>(size_bytes, UINT32_MAX));
  entries_.push_back({start, size, static_cast<uint32_t>(names_.size())});
  names_ += name;
  names_ += '\0';
}

void NamedRanges::Sort() {
  // The last added first, of which unique keeps the first.
  std::reverse(entries_.begin(), entries_.end());
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.start < b.start; });
  const auto is_same = [](const Entry& a, const Entry& b) { return a.start == b.start; };
  entries_.erase(std::unique(entries_.begin(), entries_.end(), is_same), entries_.end());
  entries_.shrink_to_fit();
  names_.shrink_to_fit();
}

std::optional<NamedRange> NamedRanges::Find(uint64_t address) const {
  const auto next =
      std::upper_bound(entries_.begin(), entries_.end(), address,
                       [](uint64_t a, const Entry& entry) { return a < entry.start; });
  if (next == entries_.begin()) return std::nullopt;
  const Entry& entry = *std::prev(next);
  if (address - entry.start >= entry.size_bytes) return std::nullopt;
  return NamedRange{entry.start, entry.size_bytes, names_.c_str() + entry.name};
}

void NamedRanges::CloseGaps(uint64_t limit_bytes) {
  for (size_t at = 0; at < entries_.size(); ++at) {
    const uint64_t gap =
        at + 1 < entries_.size() ? entries_[at + 1].start - entries_[at].start : limit_bytes;
    entries_[at].size_bytes =
        static_cast<uint32_t>(std::min<uint64_t>({gap, limit_bytes, UINT32_MAX}));
  }
}

}  // namespace gpuwhy
