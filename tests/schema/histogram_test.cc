// SPDX-License-Identifier: Apache-2.0
#include "schema/histogram.h"

#include <cmath>

#include "tests/catch.h"

using gpuwhy::Histogram;

TEST_CASE("histogram: every value lies within 1/128 of the middle of its bucket", "[schema]") {
  const int64_t value = GENERATE(as<int64_t>{}, 0, 1, 127, 128, 129, 1000, 25'799'900,
                                 INT64_C(5'000'000'000), INT64_MAX / 2);

  const int64_t middle = Histogram::MiddleOf(Histogram::BucketOf(value));

  CHECK(std::abs(static_cast<double>(middle - value)) <= static_cast<double>(value) / 128.0);
}

TEST_CASE("histogram: encoding and merging keeps counts and percentiles", "[schema]") {
  Histogram histogram;
  for (int64_t i = 1; i <= 1000; ++i)
    histogram.Add(i * 1000);

  Histogram copy;
  REQUIRE(copy.MergeEncoded(histogram.Encode()).ok());

  CHECK(copy.count() == 1000);
  CHECK(copy.Percentile(0.5) == histogram.Percentile(0.5));
  CHECK(std::abs(static_cast<double>(copy.Percentile(0.99)) - 990'000.0) <= 9'900.0);
}

TEST_CASE("histogram: the sum of blobs has the counts and percentiles of a merge", "[schema]") {
  Histogram first;
  Histogram second;
  for (int64_t i = 1; i <= 1000; ++i)
    (i % 3 == 0 ? first : second).Add(i * i * 100);

  gpuwhy::HistogramSum sum;
  REQUIRE(sum.Add(first.Encode()).ok());
  REQUIRE(sum.Add(second.Encode()).ok());
  CHECK_FALSE(sum.Add("\xff\xff\xff").ok());
  first.Merge(second);

  CHECK(sum.count() == 1000);
  CHECK(sum.Percentile(0.5) == first.Percentile(0.5));
  CHECK(sum.Percentile(0.99) == first.Percentile(0.99));
}

TEST_CASE("histogram: rejects a damaged blob and stays as it was", "[schema]") {
  Histogram histogram;
  histogram.Add(5);

  CHECK_FALSE(histogram.MergeEncoded("\xff\xff\xff").ok());
  CHECK_FALSE(histogram.MergeEncoded(std::string("\x01\x01\xff\xff\xff\xff\x7f\x01", 8)).ok());
  CHECK(histogram.count() == 1);
}
