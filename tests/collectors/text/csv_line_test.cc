// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/csv_line.h"

#include "tests/catch.h"

using gpuwhy::CsvLine;
using gpuwhy::CsvStyle;

using Cells = std::vector<std::string>;

namespace {

Cells SplitLine(std::string_view line, const CsvStyle& style = {}) {
  CsvLine csv;
  if (!csv.Split(line, style)) return {"(not a line)"};
  return {csv.cells().begin(), csv.cells().end()};
}

}  // namespace

TEST_CASE("csv line: cells are split at commas and trimmed", "[csv]") {
  CHECK(SplitLine("a,b") == Cells{"a", "b"});
  CHECK(SplitLine(" a ,\tb c ,") == Cells{"a", "b c", ""});
  CHECK(SplitLine("") == Cells{""});
  CHECK(SplitLine(",,") == Cells{"", "", ""});
  CHECK(SplitLine("a;b,c", {.separator = ';'}) == Cells{"a", "b,c"});
}

TEST_CASE("csv line: quotes hold commas, blanks and quotes", "[csv]") {
  CHECK(SplitLine(R"("a,b", "c ""d""" ,"")") == Cells{"a,b", R"(c "d")", ""});
  CHECK(SplitLine(R"(" a ",x"y)") == Cells{" a ", R"(x"y)"});
  CHECK(SplitLine(R"("a"b,c)") == Cells{"ab", "c"});
}

TEST_CASE("csv line: an open quote and too many cells make no line", "[csv]") {
  CHECK(SplitLine(R"(a,"b,c)") == Cells{"(not a line)"});
  CHECK(SplitLine(R"(")") == Cells{"(not a line)"});
  CHECK(SplitLine(std::string(CsvLine::kMaxCells, ',')) == Cells{"(not a line)"});
  CHECK(SplitLine(std::string(CsvLine::kMaxCells - 1, ',')).size() == CsvLine::kMaxCells);
}

TEST_CASE("csv line: lists in brackets are one cell where the style says so", "[csv]") {
  const CsvStyle lists{.has_bracket_lists = true};

  CHECK(SplitLine("[0, 1],[N/A] ,2", lists) == Cells{"[0, 1]", "[N/A]", "2"});
  CHECK(SplitLine("[0, 1],2") == Cells{"[0", "1]", "2"});
  CHECK(SplitLine("[0,1", lists) == Cells{"[0", "1"});
  CHECK(SplitLine("[0,1]x,2", lists) == Cells{"[0", "1]x", "2"});
  CHECK(SplitLine("power [W],2", lists) == Cells{"power [W]", "2"});
}
