// SPDX-License-Identifier: Apache-2.0
// What is stored as rows, per minute, operation and pid: the same keys as Ingero's aggregates, to
// hold one against the other. One thread.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>

#include "schema/base/saturating.h"

namespace gpuwhy::ingero {

inline constexpr int64_t kMinuteNs = 60'000'000'000;
// Ingero counts the exits of processes and of threads as one operation; we do not.
inline constexpr int64_t kThreadExit = -6;

struct MinuteKey {
  int64_t bucket_ns;
  int64_t source;
  int64_t op;
  int64_t pid;
  // NOLINTNEXTLINE(modernize-use-nullptr): the check misreads the generated comparison.
  auto operator<=>(const MinuteKey&) const = default;
};

struct MinuteStatistics {
  int64_t event_count = 0;
  int64_t sum_ns = 0;
  int64_t min_ns = INT64_MAX;
  int64_t max_ns = 0;
  int64_t sum_bytes = 0;
};

class RowStatistics {
 public:
  void Add(MinuteKey key, int64_t duration_ns, int64_t bytes) {
    MinuteStatistics& minute = minutes_[key];
    ++minute.event_count;
    minute.sum_ns = SaturatingAdd(minute.sum_ns, duration_ns);
    minute.min_ns = std::min(minute.min_ns, duration_ns);
    minute.max_ns = std::max(minute.max_ns, duration_ns);
    minute.sum_bytes = SaturatingAdd(minute.sum_bytes, bytes);
  }
  // Removes and returns the entry; all zero when there is none.
  MinuteStatistics Take(const MinuteKey& key) {
    const auto it = minutes_.find(key);
    if (it == minutes_.end()) return {.min_ns = 0};
    const MinuteStatistics taken = it->second;
    minutes_.erase(it);
    return taken;
  }
  int64_t CountOf(const MinuteKey& key) const {
    const auto it = minutes_.find(key);
    return it == minutes_.end() ? 0 : it->second.event_count;
  }
  const std::map<MinuteKey, MinuteStatistics>& Minutes() const { return minutes_; }

 private:
  std::map<MinuteKey, MinuteStatistics> minutes_;
};

}  // namespace gpuwhy::ingero
