// SPDX-License-Identifier: Apache-2.0
// Which addresses are device, managed or pinned memory. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "examples/simgpu/core/memory.h"

namespace gpuwhy::simgpu {

struct Range {
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::kPageable;
  bool is_registered = false;  // the memory is the program's own
};

class Ranges {
 public:
  static Ranges& Get();

  // False where the address range is taken, in part or in whole.
  bool Add(void* start, const Range& range);
  // The range that starts there, removed; nothing when `wanted` says no.
  template <typename Wanted>
  std::optional<Range> Remove(void* start, const Wanted& wanted) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(reinterpret_cast<uintptr_t>(start));
    if (found == ranges_.end() || !wanted(found->second)) return {};
    const Range range = found->second;
    ranges_.erase(found);
    return range;
  }
  // Who holds the address.
  std::optional<Range> Find(const void* address);

 private:
  std::mutex mutex_;
  std::map<uintptr_t, Range> ranges_;  // by start
};

}  // namespace gpuwhy::simgpu
