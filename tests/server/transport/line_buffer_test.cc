// SPDX-License-Identifier: Apache-2.0
#include "server/transport/line_buffer.h"

#include <algorithm>
#include <string>

#include "tests/catch.h"

namespace gpuwhy {
namespace {

void Feed(LineBuffer& buffer, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::span<char> space = buffer.Space();
    const size_t count = std::min(space.size(), bytes.size());
    std::copy_n(bytes.begin(), count, space.begin());
    buffer.Commit(count);
    bytes.remove_prefix(count);
  }
}

std::string NextText(LineBuffer& buffer) {
  const auto line = buffer.Next();
  if (!line) return "<none>";
  return line->is_too_long ? "<too long>" : std::string(line->text);
}

}  // namespace

TEST_CASE("line buffer: lines come out whole, however they arrive", "[transport]") {
  LineBuffer buffer(100);

  Feed(buffer, "one\ntw");
  CHECK(buffer.HasNext());
  CHECK(NextText(buffer) == "one");
  CHECK_FALSE(buffer.HasNext());
  CHECK(NextText(buffer) == "<none>");
  Feed(buffer, "o\r\n\nthree\n");
  CHECK(NextText(buffer) == "two");
  CHECK(NextText(buffer) == "");
  CHECK(NextText(buffer) == "three");
  CHECK(NextText(buffer) == "<none>");
}

TEST_CASE("line buffer: byte by byte gives the same lines", "[transport]") {
  LineBuffer buffer(100);
  std::string seen;

  for (const char byte : std::string("ab\ncd\r\n\ne\n")) {
    Feed(buffer, std::string(1, byte));
    while (const auto line = buffer.Next())
      seen += "[" + std::string(line->text) + "]";
  }

  CHECK(seen == "[ab][cd][][e]");
}

TEST_CASE("line buffer: a line over the limit is reported once and skipped", "[transport]") {
  LineBuffer buffer(10);

  Feed(buffer, "12345678901234\nshort\n");
  CHECK(NextText(buffer) == "<too long>");
  CHECK(NextText(buffer) == "short");
  Feed(buffer, "12345678901234");
  CHECK(NextText(buffer) == "<too long>");
  CHECK(NextText(buffer) == "<none>");
  Feed(buffer, "more of it");
  CHECK(NextText(buffer) == "<none>");
  Feed(buffer, "and the end\nnext\n");
  CHECK(NextText(buffer) == "next");
  CHECK(NextText(buffer) == "<none>");
}

TEST_CASE("line buffer: an endless line needs no endless memory", "[transport]") {
  LineBuffer buffer(1000);
  const std::string chunk(LineBuffer::kReadBytes, 'x');
  size_t too_long_count = 0;
  size_t most_space = 0;

  for (int i = 0; i < 1000; ++i) {
    most_space = std::max(most_space, buffer.Space().size());
    Feed(buffer, chunk);
    while (const auto line = buffer.Next())
      too_long_count += line->is_too_long ? 1 : 0;
  }

  CHECK(too_long_count == 1);
  CHECK(most_space <= 4 * LineBuffer::kReadBytes);
}

TEST_CASE("line buffer: the rest at the end is handed out once", "[transport]") {
  LineBuffer buffer(100);
  Feed(buffer, "one\nrest\r");
  CHECK(NextText(buffer) == "one");
  CHECK(NextText(buffer) == "<none>");

  CHECK(buffer.TakeRest() == "rest");
  CHECK(buffer.TakeRest().empty());
}

}  // namespace gpuwhy
