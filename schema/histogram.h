// SPDX-License-Identifier: Apache-2.0
// Log-linear histogram of durations, mergeable, with a relative error of at most 1/128 (0.8 %).
// Values below 128 ns have a bucket each; above, every power of two has 64 buckets of equal width.
// Blob format (table latency): varint pairs (bucket index delta, count), ascending; LEB128.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

class Histogram {
 public:
  void Add(int64_t duration_ns, int64_t count = 1);
  void Merge(const Histogram& other);
  // Adds the counts of an encoded histogram. Fails on a damaged blob and then adds nothing.
  Status MergeEncoded(std::string_view blob);

  int64_t count() const { return count_; }
  // Nearest rank: the value at rank ceil(p * count), p in (0, 1]; 0 when empty.
  int64_t Percentile(double p) const;
  std::string Encode() const;

  static uint32_t BucketOf(int64_t duration_ns);
  // Middle of the bucket, the value that percentiles report.
  static int64_t MiddleOf(uint32_t bucket);

 private:
  struct Bucket {
    uint32_t index;
    int64_t count;
  };

  void AddToBucket(uint32_t index, int64_t count);

  // Sorted by index. A key seldom has more than some tens of buckets, so a flat vector beats a
  // tree.
  std::vector<Bucket> buckets_;
  int64_t count_ = 0;
};

// The sum of many encoded histograms: constant time for each bucket, at 30 kB of memory. For
// readers that merge thousands.
class HistogramSum {
 public:
  // Fails on a damaged blob and then adds nothing.
  Status Add(std::string_view blob);
  int64_t count() const { return count_; }
  int64_t Percentile(double p) const;  // as Histogram::Percentile

 private:
  std::vector<int64_t> counts_;  // by bucket; empty until the first blob
  std::vector<std::pair<uint32_t, int64_t>> decoded_;
  int64_t count_ = 0;
};

}  // namespace gpuwhy
