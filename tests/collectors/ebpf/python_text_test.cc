// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/python_text.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

std::string TextOf(uint8_t character_bytes, std::string_view bytes, uint32_t length) {
  const PythonText text{.length = length, .character_bytes = character_bytes, .padding = {}};
  return PythonTextOf(text, bytes);
}

}  // namespace

TEST_CASE("python text: characters of one, two and four bytes become UTF-8", "[python]") {
  CHECK(TextOf(1, "run", 3) == "run");
  CHECK(TextOf(1,
               "gr\xF6\xDF"
               "e",
               5) == "größe");
  CHECK(TextOf(2, {"\x70\x65\x48\x30", 4}, 2) == "数え");
  CHECK(TextOf(4, {"\xA0\x03\x01\x00", 4}, 1) == "\xF0\x90\x8E\xA0");
}

TEST_CASE("python text: what did not fit is shown as cut", "[python]") {
  CHECK(TextOf(1, "abc", 5) == "abc…");
}

TEST_CASE("python text: what is no text gives none, what is no character its sign", "[python]") {
  CHECK(TextOf(0, "abc", 3).empty());
  CHECK(TextOf(3, "abc", 3).empty());
  CHECK(TextOf(2, {"\x00\xD8", 2}, 1) == "\xEF\xBF\xBD");  // half of a pair
  CHECK(TextOf(4, {"\xFF\xFF\xFF\xFF", 4}, 1) == "\xEF\xBF\xBD");
}

}  // namespace gpuwhy
