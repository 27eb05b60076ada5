// SPDX-License-Identifier: Apache-2.0
// Sets of instants as sorted half-open intervals of int64 nanoseconds. Intervals means: ascending,
// each non-empty, disjoint and not touching. Every function takes and returns such sets and runs in
// linear time (Normalize sorts). Pure functions, any thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gpuwhy {

struct Interval {
  int64_t start_ns = 0;  // inclusive
  int64_t end_ns = 0;    // exclusive
  int64_t duration_ns() const { return end_ns - start_ns; }
  bool operator==(const Interval&) const = default;
};

using Intervals = std::vector<Interval>;

// Any intervals, also empty and overlapping ones, as a set.
Intervals Normalize(std::vector<Interval> any);
Intervals Union(const Intervals& a, const Intervals& b);
Intervals Intersect(const Intervals& a, const Intervals& b);
// a without b.
Intervals Subtract(const Intervals& a, const Intervals& b);
Intervals Clip(const Intervals& a, Interval window);
// The parts of `window` that `a` leaves free.
Intervals Gaps(const Intervals& a, Interval window);
int64_t Length(const Intervals& a);
// Length of the part of `a` inside `window`, in logarithmic time to find its start.
int64_t LengthWithin(const Intervals& a, Interval window);

// Builds the union of intervals that arrive ordered by start, in constant time each.
class UnionBuilder {
 public:
  void Add(Interval next) {
    if (next.start_ns >= next.end_ns) return;
    if (!out_.empty() && next.start_ns <= out_.back().end_ns) {
      if (next.end_ns > out_.back().end_ns) out_.back().end_ns = next.end_ns;
      return;
    }
    out_.push_back(next);
  }
  const Intervals& result() const { return out_; }
  Intervals Take() { return std::move(out_); }

 private:
  Intervals out_;
};

}  // namespace gpuwhy
