// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/intervals.h"

#include <algorithm>

namespace gpuwhy {
namespace {

// The first interval of `a` that ends after `time_ns`.
Intervals::const_iterator FirstEndingAfter(const Intervals& a, int64_t time_ns) {
  return std::upper_bound(a.begin(), a.end(), time_ns, [](int64_t time, const Interval& interval) {
    return time < interval.end_ns;
  });
}

}  // namespace

Intervals Normalize(std::vector<Interval> any) {
  const auto by_start = [](const Interval& x, const Interval& y) {
    return x.start_ns < y.start_ns;
  };
  if (!std::is_sorted(any.begin(), any.end(), by_start))
    std::sort(any.begin(), any.end(), by_start);
  size_t count = 0;  // of those that are final, in place
  for (const Interval next : any) {
    if (next.start_ns >= next.end_ns) continue;
    if (count > 0 && next.start_ns <= any[count - 1].end_ns) {
      any[count - 1].end_ns = std::max(any[count - 1].end_ns, next.end_ns);
    } else {
      any[count++] = next;
    }
  }
  any.resize(count);
  return any;
}

Intervals Union(const Intervals& a, const Intervals& b) {
  UnionBuilder builder;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool is_a = j == b.size() || (i < a.size() && a[i].start_ns <= b[j].start_ns);
    builder.Add(is_a ? a[i++] : b[j++]);
  }
  return builder.Take();
}

Intervals Intersect(const Intervals& a, const Intervals& b) {
  Intervals out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Interval common = {std::max(a[i].start_ns, b[j].start_ns),
                             std::min(a[i].end_ns, b[j].end_ns)};
    if (common.start_ns < common.end_ns) out.push_back(common);
    a[i].end_ns < b[j].end_ns ? ++i : ++j;
  }
  return out;
}

Intervals Subtract(const Intervals& a, const Intervals& b) {
  Intervals out;
  size_t j = 0;
  for (const Interval& interval : a) {
    int64_t at_ns = interval.start_ns;
    while (j < b.size() && b[j].end_ns <= at_ns)
      ++j;
    for (size_t k = j; k < b.size() && b[k].start_ns < interval.end_ns; ++k) {
      if (b[k].start_ns > at_ns) out.push_back({at_ns, b[k].start_ns});
      at_ns = b[k].end_ns;
      j = k;
    }
    if (at_ns < interval.end_ns) out.push_back({at_ns, interval.end_ns});
  }
  return out;
}

Intervals Clip(const Intervals& a, Interval window) {
  if (window.start_ns >= window.end_ns) return {};
  Intervals out;
  for (auto it = FirstEndingAfter(a, window.start_ns);
       it != a.end() && it->start_ns < window.end_ns; ++it) {
    out.push_back({std::max(it->start_ns, window.start_ns), std::min(it->end_ns, window.end_ns)});
  }
  return out;
}

Intervals Gaps(const Intervals& a, Interval window) {
  if (window.start_ns >= window.end_ns) return {};
  return Subtract({window}, a);
}

int64_t Length(const Intervals& a) {
  int64_t sum_ns = 0;
  for (const Interval& interval : a)
    sum_ns += interval.duration_ns();
  return sum_ns;
}

int64_t LengthWithin(const Intervals& a, Interval window) {
  int64_t sum_ns = 0;
  for (auto it = FirstEndingAfter(a, window.start_ns);
       it != a.end() && it->start_ns < window.end_ns; ++it) {
    sum_ns += std::min(it->end_ns, window.end_ns) - std::max(it->start_ns, window.start_ns);
  }
  return sum_ns;
}

}  // namespace gpuwhy
