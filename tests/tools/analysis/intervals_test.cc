// SPDX-License-Identifier: Apache-2.0
// Every pair of subsets of eight instants, against bit arithmetic.
#include "tools/analysis/intervals.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

constexpr int kInstants = 8;
constexpr uint32_t kAll = 1U << kInstants;

Intervals FromBits(uint32_t bits) {
  Intervals out;
  for (int at = 0; at < kInstants; ++at) {
    if ((bits >> at & 1U) == 0) continue;
    if (!out.empty() && out.back().end_ns == at) {
      ++out.back().end_ns;
    } else {
      out.push_back({at, at + 1});
    }
  }
  return out;
}

uint32_t WindowBits(int start, int end) {
  return ((1U << end) - 1U) & ~((1U << start) - 1U);
}

TEST_CASE("intervals: union, intersection and difference equal bit arithmetic", "[analysis]") {
  for (uint32_t a = 0; a < kAll; ++a) {
    const Intervals left = FromBits(a);
    bool all_equal = Length(left) == __builtin_popcount(a);
    for (uint32_t b = 0; b < kAll; ++b) {
      const Intervals right = FromBits(b);
      all_equal = all_equal && Union(left, right) == FromBits(a | b) &&
                  Intersect(left, right) == FromBits(a & b) &&
                  Subtract(left, right) == FromBits(a & ~b);
    }
    if (!all_equal) FAIL("subset " << a);
  }
  SUCCEED();
}

TEST_CASE("intervals: clipping, gaps and lengths within every window equal bit arithmetic",
          "[analysis]") {
  for (uint32_t a = 0; a < kAll; ++a) {
    const Intervals set = FromBits(a);
    bool all_equal = true;
    for (int start = 0; start <= kInstants; ++start) {
      for (int end = start; end <= kInstants; ++end) {
        const uint32_t window = WindowBits(start, end);
        const Interval interval = {start, end};
        all_equal = all_equal && Clip(set, interval) == FromBits(a & window) &&
                    Gaps(set, interval) == FromBits(~a & window) &&
                    LengthWithin(set, interval) == __builtin_popcount(a & window);
      }
    }
    if (!all_equal) FAIL("subset " << a);
  }
  SUCCEED();
}

TEST_CASE("intervals: normalising sorts, joins touching and overlapping, drops empty ones",
          "[analysis]") {
  const Intervals set = Normalize({{7, 9}, {1, 3}, {3, 4}, {5, 5}, {2, 3}, {9, 8}});

  CHECK(set == Intervals{{1, 4}, {7, 9}});
}

}  // namespace
}  // namespace gpuwhy
