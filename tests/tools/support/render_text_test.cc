// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/catch.h"
#include "tools/answer.h"
#include "tools/json.h"
#include "tools/support/text_layout.h"

namespace gpuwhy {
namespace {

constexpr TextStyle kAligned{.is_compact = false};
const std::string kHostile = "a\x1b[31mb\xe2\x80\xae\xe2\x80\x8b</x>\n|c\xff";

Table Shares() {
  return {.key = "shares",
          .title = "Shares",
          .columns = {{"name", "name"},
                      {"count", "count", Unit::kCount},
                      {"x_pct", "share", Unit::kPct}},
          .rows = {{std::string("first"), int64_t{1234}, 75.0},
                   {std::string("b"), int64_t{5}, Value()}}};
}

TEST_CASE("render: text for models joins cells and does not pad", "[tools]") {
  const Answer answer{.headline = "Two", .sections = {Shares()}};

  CHECK(RenderText(answer) ==
        "Two\n\nShares\nname | count | share\nfirst | 1,234 | 75 %\nb | 5 | -\n");
}

TEST_CASE("render: text for people aligns columns, numbers to the right", "[tools]") {
  const Answer answer{.headline = "Two", .sections = {Shares()}};

  CHECK(RenderText(answer, kAligned) ==
        "Two\n\nShares\nname   count  share\nfirst  1,234   75 %\nb          5      -\n");
}

TEST_CASE("render: a terminal gets bars for shares and colours", "[tools]") {
  const Answer answer{.headline = "Two", .sections = {Shares()}};
  TextStyle style{.has_color = true, .has_bars = true, .width = 80, .is_compact = false};

  const std::string colored = RenderText(answer, style);
  style.has_color = false;
  const std::string plain = RenderText(answer, style);

  CHECK(colored.find("\x1b[1mTwo\x1b[0m\n") == 0);
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(plain.find("75 % " + ShareBar(75)) != std::string::npos);
}

TEST_CASE("render: a bar has ten cells whatever the share", "[tools]") {
  for (const double share_pct : {-5.0, 0.0, 4.9, 50.0, 99.9, 100.0, 1e9, std::nan("")})
    CHECK(DisplayWidth(ShareBar(share_pct)) == 10);
  CHECK(ShareBar(0).find("\xE2\x96\x88") == std::string::npos);
  CHECK(ShareBar(100).find("\xE2\x96\x91") == std::string::npos);
}

TEST_CASE("render: the widest text column shrinks until a line fits", "[tools]") {
  Answer answer{.headline = "x"};
  answer.sections.emplace_back(
      Table{.key = "t",
            .columns = {{"a", "a"}, {"b", "b"}, {"n", "n", Unit::kCount}},
            .rows = {{std::string(60, 'a'), std::string(20, 'b'), int64_t{1}}}});

  const std::string text = RenderText(answer, {.width = 50, .is_compact = false});

  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    CHECK(DisplayWidth(line) <= 50);
  }
  CHECK(text.find(std::string(20, 'b')) != std::string::npos);
  CHECK(text.find("\xE2\x80\xA6") != std::string::npos);
}

TEST_CASE("render: long sentences wrap under their beginning on a terminal", "[tools]") {
  Answer answer{.headline = "x"};
  answer.notes.push_back("one two three four five six seven eight nine ten eleven twelve thirteen");

  const std::string text = RenderText(answer, {.width = 40, .is_compact = false});

  CHECK(text ==
        "x\n\nnote: one two three four five six\n   seven eight nine ten eleven twelve\n   "
        "thirteen\n");
}

TEST_CASE("render: hostile text cannot escape its cell in any form", "[tools]") {
  Answer answer{.headline = kHostile};
  answer.sections.emplace_back(
      Table{.key = "t", .columns = {{"a", kHostile}}, .rows = {{kHostile}}});
  answer.sections.emplace_back(Items{.key = "i",
                                     .items = {{.severity = kHostile,
                                                .id = kHostile,
                                                .title = kHostile,
                                                .lines = {{kHostile, kHostile}},
                                                .facts = {{"f", "f", Unit::kText, kHostile}}}}});
  answer.sections.emplace_back(Facts{.key = "f", .facts = {{"f", "f", Unit::kText, kHostile}}});
  answer.notes.push_back(kHostile);
  answer.next.push_back(kHostile);
  const TextStyle terminal{.has_bars = true, .width = 60, .is_compact = false};

  for (const std::string& text : {RenderText(answer), RenderText(answer, kAligned),
                                  RenderText(answer, terminal), RenderJson(answer)}) {
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\xe2\x80\xae") == std::string::npos);
    CHECK(text.find("\xe2\x80\x8b") == std::string::npos);
    CHECK(text.find('\xff') == std::string::npos);
    CHECK(text.find("</x>\n") == std::string::npos);
  }
  CHECK(RenderText(answer).find("\\|c") != std::string::npos);
}

TEST_CASE("render: JSON stays JSON whatever the text", "[tools]") {
  const Answer answer{.headline = kHostile, .sections = {Shares()}, .notes = {kHostile}};

  const Json json = Json::parse(RenderJson(answer), nullptr, false);

  REQUIRE(json.is_object());
  CHECK(json["shares"][0]["count"] == 1234);
  CHECK(json["shares"][1]["x_pct"].is_null());
}

TEST_CASE("render: what is left out is counted with the way to get it", "[tools]") {
  Table table = Shares();
  table.total_rows = 1'002;
  table.more = "call again with limit=50";

  const std::string text = RenderText({.headline = "x", .sections = {table}});

  CHECK(text.find("1,000 more: call again with limit=50\n") != std::string::npos);
}

TEST_CASE("layout: wide characters take two columns and combining marks none", "[tools]") {
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("\xe6\xbc\xa2\xe5\xad\x97") == 4);
  CHECK(DisplayWidth("e\xcc\x81") == 1);
  CHECK(CutToWidth("\xe6\xbc\xa2\xe5\xad\x97", 3) == "\xe6\xbc\xa2\xe2\x80\xa6");
  CHECK(CutToWidth("abcdef", 4) == "abc\xe2\x80\xa6");
  CHECK(CutToWidth("abcd", 4) == "abcd");
}

}  // namespace
}  // namespace gpuwhy
