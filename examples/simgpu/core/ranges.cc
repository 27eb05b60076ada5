// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/ranges.h"

#include <iterator>

namespace gpuwhy::simgpu {

Ranges& Ranges::Get() {
  static Ranges& ranges = *new Ranges();
  return ranges;
}

bool Ranges::Add(void* start, const Range& range) {
  const auto address = reinterpret_cast<uintptr_t>(start);
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.lower_bound(address);
  if (next != ranges_.end() && next->first < address + range.bytes) return false;
  if (next != ranges_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.bytes > address) return false;
  }
  ranges_.emplace_hint(next, address, range);
  return true;
}

std::optional<Range> Ranges::Find(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.upper_bound(wanted);
  if (next == ranges_.begin()) return {};
  const auto& [start, range] = *std::prev(next);
  if (wanted >= start + range.bytes) return {};
  return range;
}

}  // namespace gpuwhy::simgpu
