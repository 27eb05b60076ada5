// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/named_numbers.h"

#include "collectors/system/growth.h"
#include "collectors/system/pressure.h"
#include "tests/catch.h"

namespace gpuwhy {

TEST_CASE("named numbers: meminfo in bytes, vmstat and cpu.stat as they are", "[system]") {
  const auto meminfo =
      NamedNumbers::Parse("MemTotal:       16310284 kB\nHugePages_Total:       3\nDirectMap4k:\n");
  const auto vmstat = NamedNumbers::Parse("pswpin 12\npgmajfault 123456\n");

  CHECK(meminfo.Find("MemTotal") == 16310284LL * 1024);
  CHECK(meminfo.Find("HugePages_Total") == 3);
  CHECK_FALSE(meminfo.Find("DirectMap4k"));
  CHECK(vmstat.Find("pswpin") == 12);
  CHECK(vmstat.Find("pgmajfault") == 123456);
  CHECK_FALSE(vmstat.Find("pswpout"));
}

TEST_CASE("named numbers: lines of another form are left out", "[system]") {
  CHECK(NamedNumbers::Parse("").empty());
  CHECK(NamedNumbers::Parse("name\n").empty());
  CHECK(NamedNumbers::Parse(" 12\n").empty());
  CHECK(NamedNumbers::Parse("name 12 MB\n").empty());
  CHECK(NamedNumbers::Parse("name twelve\n").empty());
  CHECK(NamedNumbers::Parse("name 99999999999999999999\n").empty());
  CHECK(NamedNumbers::Parse("Big: 9223372036854775807 kB\n").empty());
}

TEST_CASE("whole number: the limit of a cgroup, or none", "[system]") {
  CHECK(ParseWholeNumber("20000\n") == 20000);
  CHECK(ParseWholeNumber("-1\n") == -1);
  CHECK_FALSE(ParseWholeNumber("max\n"));
  CHECK_FALSE(ParseWholeNumber("12 13\n"));
  CHECK_FALSE(ParseWholeNumber(""));
}

TEST_CASE("pressure: the totals become nanoseconds", "[system]") {
  const auto totals = ParsePressure(
      "some avg10=94.41 avg60=51.16 avg300=40.91 total=11801541725\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");

  CHECK(totals.some_ns == 11'801'541'725'000);
  CHECK(totals.full_ns == 7000);
}

TEST_CASE("pressure: cpu had no full line before 5.13, and what is malformed is absent",
          "[system]") {
  CHECK_FALSE(ParsePressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n").full_ns);
  for (const char* text : {"", "some total=", "some avg10=1 total=x\n", "rest avg10=1 total=5\n",
                           "some avg10=0 total=99999999999999999999\n", "some total=5"}) {
    INFO(text);
    const auto totals = ParsePressure(text);
    CHECK(totals.some_ns.has_value() == (std::string_view(text) == "some total=5"));
    CHECK_FALSE(totals.full_ns);
  }
}

TEST_CASE("growth: from the second look on, and not of what was made anew", "[system]") {
  GrowthBook book;

  CHECK_FALSE(book.Grown("a", 10));
  CHECK(book.Grown("a", 15) == 5);
  CHECK_FALSE(book.Grown("b", 1));
  CHECK_FALSE(book.Grown("a", 3));
  CHECK(book.Grown("a", 4) == 1);
}

}  // namespace gpuwhy
