// SPDX-License-Identifier: Apache-2.0
#include "schema/base/text.h"

#include "tests/catch.h"

using namespace gpuwhy;

namespace {

const std::string kBad = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

TEST_CASE("text: printable text in any script is kept", "[text]") {
  const std::string text = GENERATE(as<std::string>(), "cudaLaunchKernel", "naïve café", "训练",
                                    "😀", "a b\xC2\xA0z", "~!@#$%^&*()");

  CHECK(CleanText(text) == text);
  CHECK(StripControls(text) == text);
}

TEST_CASE("text: what could steer a terminal or a reader is replaced", "[text]") {
  CHECK(CleanText("a\x1b[31mb") == "a" + kBad + "[31mb");
  CHECK(CleanText("a\nb\tc\r") == "a" + kBad + "b" + kBad + "c" + kBad);
  CHECK(CleanText(std::string_view("a\0b", 3)) == "a" + kBad + "b");
  CHECK(CleanText("a\x7f") == "a" + kBad);
  CHECK(CleanText("\xC2\x9B") == kBad);             // C1 CSI
  CHECK(CleanText("\xE2\x80\xAE") == kBad);         // right-to-left override
  CHECK(CleanText("\xE2\x81\xA6x") == kBad + "x");  // isolate
  CHECK(CleanText("\xE2\x80\x8B") == kBad);         // zero-width space
  CHECK(CleanText("\xE2\x80\xA8") == kBad);         // line separator
  CHECK(CleanText("\xEF\xBB\xBF") == kBad);         // byte order mark
  CHECK(CleanText("\xF3\xA0\x81\x81") == kBad);     // tag letter
}

TEST_CASE("text: bytes that are no UTF-8 become one mark each", "[text]") {
  CHECK(CleanText("\xff\xfe") == kBad + kBad);
  CHECK(CleanText("\xC0\xAF") == kBad + kBad);                        // overlong
  CHECK(CleanText("\xE0\x80\xAF") == kBad + kBad + kBad);             // overlong
  CHECK(CleanText("\xED\xA0\x80") == kBad + kBad + kBad);             // surrogate
  CHECK(CleanText("\xF4\x90\x80\x80") == kBad + kBad + kBad + kBad);  // above U+10FFFF
  CHECK(CleanText("a\xE2\x82") == "a" + kBad + kBad);                 // cut short
  CHECK(CleanText("\xC3(") == kBad + "(");
}

TEST_CASE("text: every pair of bytes comes out clean", "[text]") {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string raw = {static_cast<char>(a), static_cast<char>(b)};
      const std::string clean = CleanText(raw);
      REQUIRE(CleanText(clean) == clean);
      REQUIRE(clean.find('\x1b') == std::string::npos);
      REQUIRE(clean.size() >= 2);
    }
  }
}

TEST_CASE("text: long text is cut by characters, not bytes", "[text]") {
  CHECK(CleanText("abcdef", 3) == "abc\xE2\x80\xA6");
  CHECK(CleanText("abc", 3) == "abc");
  CHECK(CleanText("éééé", 2) == "éé\xE2\x80\xA6");
  CHECK(CleanText(std::string(1 << 20, 'x')).size() == kDefaultTextLimit + 3);
}

TEST_CASE("text: a whole answer keeps its lines", "[text]") {
  CHECK(StripControls("a\n\tb\x1b[0m\r") == "a\n\tb" + kBad + "[0m" + kBad);
  CHECK(StripControls(std::string(1000, 'x')).size() == 1000);
}

TEST_CASE("text: durations", "[text]") {
  CHECK(FormatDuration(0) == "0 ns");
  CHECK(FormatDuration(999) == "999 ns");
  CHECK(FormatDuration(1000) == "1.000 us");
  CHECK(FormatDuration(73'194) == "73.19 us");
  CHECK(FormatDuration(25'799'899) == "25.80 ms");
  CHECK(FormatDuration(76'938'676'255) == "76.94 s");
  CHECK(FormatDuration(1'234'000'000'000) == "1234.0 s");
  CHECK(FormatDuration(-1500) == "-1.500 us");
  CHECK(FormatDuration(INT64_MIN) == "-292 years");
}

TEST_CASE("text: sizes and counts", "[text]") {
  CHECK(FormatBytes(512) == "512 B");
  CHECK(FormatBytes(4096) == "4.10 kB");
  CHECK(FormatBytes(2'800'000'000) == "2.80 GB");
  CHECK(FormatBytes(-4096) == "-4.10 kB");
  CHECK(FormatCount(0) == "0");
  CHECK(FormatCount(999) == "999");
  CHECK(FormatCount(1'623'496) == "1,623,496");
  CHECK(FormatCount(-1000) == "-1,000");
  CHECK(FormatCount(INT64_MIN) == "-9,223,372,036,854,775,808");
}

TEST_CASE("text: instants and plain numbers", "[text]") {
  CHECK(FormatTimestamp(1'711'288'124'123'456'789) == "2024-03-24 13:48:44.123456789");
  CHECK(FormatTimestamp(0) == "1970-01-01 00:00:00.000000000");
  CHECK(FormatTimestamp(-1) == "1969-12-31 23:59:59.999999999");
  CHECK(FormatNumber(99.1, 1) == "99.1");
  CHECK(FormatNumber(2.0, 3) == "2");
  CHECK(FormatNumber(-0.0001, 2) == "0");
  CHECK(FormatNumber(1200, 0) == "1200");
  CHECK(FormatNumber(1.0 / 0.0, 2) == "n/a");
}
