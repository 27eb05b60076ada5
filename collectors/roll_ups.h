// SPDX-License-Identifier: Apache-2.0
// Exact per-second roll-ups of every event (table latency). Belongs to one Recorder; not
// thread-safe. Memory is bounded: past kMaxBuckets the map is written out, and a key may then have
// several rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "schema/base/result.h"
#include "schema/histogram.h"
#include "schema/rows.h"

namespace gpuwhy {

inline constexpr int64_t kRollUpWidthNs = 1'000'000'000;

enum class EventSource : uint8_t { kApiCall, kGpuOp, kRange, kOffCpu, kHostEvent };
std::string_view NameOf(EventSource source);

struct RollUpEvent {
  EventSource source;
  int64_t process_id = 0;  // 0 = unknown
  int64_t thread_id = 0;   // 0 = not kept per thread
  int64_t name_id = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t bytes = 0;
};

class RollUps {
 public:
  using WriteRow = std::function<void(const LatencyRow&)>;

  explicit RollUps(WriteRow write) : write_(std::move(write)) {}
  void Add(const RollUpEvent& event);
  void Flush();

 private:
  struct Key {
    int64_t bucket;
    int64_t process_id;
    int64_t thread_id;
    int64_t name_id;
    EventSource source;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Bucket {
    int64_t count = 0;
    int64_t sum_ns = 0;
    int64_t min_ns = INT64_MAX;
    int64_t max_ns = 0;
    int64_t sum_bytes = 0;
    Histogram histogram;
  };

  void Write(const Key& key, const Bucket& bucket) const;

  WriteRow write_;
  std::unordered_map<Key, Bucket, KeyHash> buckets_;
};

}  // namespace gpuwhy
