// SPDX-License-Identifier: Apache-2.0
#include "collectors/roll_ups.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schema/base/saturating.h"

namespace gpuwhy {
namespace {

constexpr size_t kMaxBuckets = 200'000;  // ~60 MB with typical histograms

}  // namespace

std::string_view NameOf(EventSource source) {
  switch (source) {
    case EventSource::kApiCall:
      return "api_call";
    case EventSource::kGpuOp:
      return "gpu_op";
    case EventSource::kRange:
      return "range";
    case EventSource::kOffCpu:
      return "off_cpu";
    case EventSource::kHostEvent:
      return "host_event";
  }
  return "";
}

size_t RollUps::KeyHash::operator()(const Key& key) const {
  uint64_t hash = static_cast<uint64_t>(key.source);
  for (const int64_t part : {key.bucket, key.process_id, key.thread_id, key.name_id}) {
    hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

void RollUps::Add(const RollUpEvent& event) {
  int64_t second = event.start_ns / kRollUpWidthNs;
  if (event.start_ns % kRollUpWidthNs < 0) --second;
  const Key key{second, event.process_id, event.thread_id, event.name_id, event.source};
  Bucket& bucket = buckets_[key];
  ++bucket.count;
  bucket.sum_ns = SaturatingAdd(bucket.sum_ns, event.duration_ns);
  bucket.min_ns = std::min(bucket.min_ns, event.duration_ns);
  bucket.max_ns = std::max(bucket.max_ns, event.duration_ns);
  bucket.sum_bytes = SaturatingAdd(bucket.sum_bytes, event.bytes);
  bucket.histogram.Add(event.duration_ns);
  if (buckets_.size() >= kMaxBuckets) Flush();
}

void RollUps::Write(const Key& key, const Bucket& bucket) const {
  const std::string histogram = bucket.histogram.Encode();
  const auto optional = [](int64_t id) { return id == 0 ? OptionalId() : OptionalId(id); };
  // The second that holds INT64_MIN begins before it.
  const int64_t bucket_ns = std::max(key.bucket, INT64_MIN / kRollUpWidthNs) * kRollUpWidthNs;
  write_({.bucket_ns = bucket_ns,
          .width_ns = kRollUpWidthNs,
          .process_id = optional(key.process_id),
          .thread_id = optional(key.thread_id),
          .source = NameOf(key.source),
          .name_id = key.name_id,
          .event_count = bucket.count,
          .stored_count = bucket.count,
          .sum_ns = bucket.sum_ns,
          .min_ns = bucket.min_ns,
          .max_ns = bucket.max_ns,
          .sum_bytes = bucket.sum_bytes,
          .histogram = histogram});
}

void RollUps::Flush() {
  std::vector<const std::pair<const Key, Bucket>*> ordered;
  ordered.reserve(buckets_.size());
  for (const auto& entry : buckets_)
    ordered.push_back(&entry);
  std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
    const auto tie = [](const Key& key) {
      return std::tie(key.bucket, key.source, key.process_id, key.thread_id, key.name_id);
    };
    return tie(a->first) < tie(b->first);
  });
  for (const auto* entry : ordered)
    Write(entry->first, entry->second);
  buckets_.clear();
}

}  // namespace gpuwhy
