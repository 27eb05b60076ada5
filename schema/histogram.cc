// SPDX-License-Identifier: Apache-2.0
#include "schema/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

namespace gpuwhy {
namespace {

constexpr uint32_t kLinear = 128;    // values below have a bucket each
constexpr uint32_t kPerOctave = 64;  // buckets per power of two above
constexpr uint32_t kLinearBits = 7;  // log2(kLinear)
constexpr uint32_t kMaxBucket = kLinear + kPerOctave * (63 - kLinearBits);

void PutVarint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

std::optional<uint64_t> TakeVarint(std::string_view& in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 63 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

using Buckets = std::vector<std::pair<uint32_t, int64_t>>;

Status Decode(std::string_view blob, Buckets& out) {
  out.clear();
  uint64_t bucket = 0;
  while (!blob.empty()) {
    const auto delta = TakeVarint(blob);
    const auto count = TakeVarint(blob);
    if (!delta || !count || *delta > kMaxBucket || bucket + *delta > kMaxBucket ||
        *count > INT64_MAX / 2) {
      return CorruptInput("a duration histogram is damaged: import the trace again");
    }
    bucket += *delta;
    out.emplace_back(static_cast<uint32_t>(bucket), static_cast<int64_t>(*count));
  }
  return {};
}

int64_t RankOf(double p, int64_t count) {
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(p * static_cast<double>(count))));
}

}  // namespace

uint32_t Histogram::BucketOf(int64_t duration_ns) {
  const auto value = static_cast<uint64_t>(std::max<int64_t>(duration_ns, 0));
  if (value < kLinear) return static_cast<uint32_t>(value);
  const auto octave = static_cast<uint32_t>(std::bit_width(value)) - 1;
  const auto within = static_cast<uint32_t>((value >> (octave - 6)) & (kPerOctave - 1));
  return kLinear + (octave - kLinearBits) * kPerOctave + within;
}

int64_t Histogram::MiddleOf(uint32_t bucket) {
  if (bucket < kLinear) return bucket;
  const uint32_t octave = (bucket - kLinear) / kPerOctave + kLinearBits;
  const uint64_t within = (bucket - kLinear) % kPerOctave;
  const uint64_t width = uint64_t{1} << (octave - 6);
  return static_cast<int64_t>((kPerOctave + within) * width + width / 2);
}

void Histogram::Add(int64_t duration_ns, int64_t count) {
  AddToBucket(BucketOf(duration_ns), count);
}

void Histogram::AddToBucket(uint32_t index, int64_t count) {
  const auto at =
      std::lower_bound(buckets_.begin(), buckets_.end(), index,
                       [](const Bucket& bucket, uint32_t wanted) { return bucket.index < wanted; });
  if (at != buckets_.end() && at->index == index) {
    at->count += count;
  } else {
    buckets_.insert(at, {index, count});
  }
  count_ += count;
}

void Histogram::Merge(const Histogram& other) {
  for (const auto& [index, count] : other.buckets_)
    AddToBucket(index, count);
}

Status Histogram::MergeEncoded(std::string_view blob) {
  Buckets decoded;
  GPUWHY_RETURN_IF_ERROR(Decode(blob, decoded));
  for (const auto& [index, count] : decoded)
    AddToBucket(index, count);
  return {};
}

int64_t Histogram::Percentile(double p) const {
  const int64_t rank = RankOf(p, count_);
  int64_t seen = 0;
  for (const auto& [bucket, count] : buckets_) {
    seen += count;
    if (seen >= rank) return MiddleOf(bucket);
  }
  return 0;
}

std::string Histogram::Encode() const {
  std::string out;
  uint32_t previous = 0;
  for (const auto& [bucket, count] : buckets_) {
    PutVarint(out, bucket - previous);
    PutVarint(out, static_cast<uint64_t>(count));
    previous = bucket;
  }
  return out;
}

Status HistogramSum::Add(std::string_view blob) {
  GPUWHY_RETURN_IF_ERROR(Decode(blob, decoded_));
  if (counts_.empty() && !decoded_.empty()) counts_.resize(kMaxBucket + 1);
  for (const auto& [bucket, count] : decoded_) {
    counts_[bucket] += count;
    count_ += count;
  }
  return {};
}

int64_t HistogramSum::Percentile(double p) const {
  const int64_t rank = RankOf(p, count_);
  int64_t seen = 0;
  for (size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return Histogram::MiddleOf(static_cast<uint32_t>(bucket));
  }
  return 0;
}

}  // namespace gpuwhy
