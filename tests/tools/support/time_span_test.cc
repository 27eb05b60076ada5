// SPDX-License-Identifier: Apache-2.0
#include "tools/support/time_span.h"

#include "tests/catch.h"

namespace gpuwhy {

TEST_CASE("time span: every unit, with a fraction and a sign", "[tools]") {
  CHECK(ParseTimeSpan("500ms") == 500'000'000);
  CHECK(ParseTimeSpan("60s") == 60'000'000'000);
  CHECK(ParseTimeSpan("5m") == 300'000'000'000);
  CHECK(ParseTimeSpan("1.5h") == 5'400'000'000'000);
  CHECK(ParseTimeSpan("-2us") == -2000);
}

TEST_CASE("time span: what has no unit, another unit or no end is refused", "[tools]") {
  for (const char* text : {"", "60", "s", "5 m", "5min", "nan", "infs", "1e300h"}) {
    INFO(text);
    CHECK_FALSE(ParseTimeSpan(text).has_value());
  }
}

}  // namespace gpuwhy
