// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/decimal.h"

#include "tests/catch.h"

using gpuwhy::kineto::MicrosecondsToNs;
using gpuwhy::kineto::ParseInteger;

TEST_CASE("decimal: microseconds become nanoseconds without rounding", "[kineto]") {
  CHECK(MicrosecondsToNs("1712195495507888.958") == INT64_C(1712195495507888958));
  CHECK(MicrosecondsToNs("0.001") == 1);
  CHECK(MicrosecondsToNs("12") == 12'000);
  CHECK(MicrosecondsToNs("-1.5") == -1'500);
  CHECK(MicrosecondsToNs("0.9999") == 999);
  CHECK(MicrosecondsToNs("1467846.533691") == 1'467'846'533);
  CHECK(MicrosecondsToNs("1.5e3") == 1'500'000);
  CHECK(MicrosecondsToNs("1.2345678E+2") == 123'456);
  CHECK(MicrosecondsToNs("9223372036854775.807") == INT64_MAX);
}

TEST_CASE("decimal: rejects what is no number or does not fit", "[kineto]") {
  const auto text =
      GENERATE(as<std::string>{}, "", "-", ".", ".5", "nan", "1x", "1 2", "0x10", "1e", "1e9999",
               "9223372036854775.808", "99999999999999999999", "1e30");
  CHECK_FALSE(MicrosecondsToNs(text).has_value());
}

TEST_CASE("decimal: whole numbers lose their decimals and keep their sign", "[kineto]") {
  CHECK(ParseInteger("-549452224") == -549'452'224);
  CHECK(ParseInteger("7.9") == 7);
  CHECK(ParseInteger("1e3") == 1000);
  CHECK_FALSE(ParseInteger("10159970886766084423").has_value());
  CHECK_FALSE(ParseInteger("stream 7").has_value());
}
