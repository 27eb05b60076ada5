// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/imported_text.h"

using gpuwhy::Gzip;
using gpuwhy::ImportedText;
using gpuwhy::ImportText;

namespace {

std::string FramesOf(std::string_view text) {
  return ImportText(text).Text(
      "SELECT group_concat(kind || ' ' || function_name || coalesce(' ' || file, '') || "
      "coalesce(':' || line, ''), '; ') FROM (SELECT * FROM frame ORDER BY id)");
}

}  // namespace

TEST_CASE("folded: stacks share their callers and keep their counts", "[folded]") {
  const ImportedText trace = ImportText("a;b;c 1\na;b;c 2\na;b;d 4\na;b 5\n");
  REQUIRE(trace.report.ok());
  CHECK(trace.report.value().importer == "folded");
  CHECK(trace.Text("SELECT kind FROM capture") == "perf");
  CHECK(trace.Int("SELECT sum(weight_count) FROM sample") == 12);
  CHECK(trace.Int("SELECT count(*) FROM sample") == 4);
  CHECK(trace.Int("SELECT count(*) FROM callsite") == 4);
  CHECK(trace.Int("SELECT count(*) FROM sample WHERE time_ns <> 0") == 0);
  CHECK(trace.Text("SELECT name FROM thread") == "a");
  CHECK(trace.Loss("folded_without_times") == 1);
  CHECK(trace.Int("SELECT count(*) FROM loss") == 1);
}

TEST_CASE("folded: recursion is kept", "[folded]") {
  const ImportedText trace = ImportText("a;b;a;b 1\n");
  CHECK(trace.Int("SELECT count(*) FROM frame") == 2);
  CHECK(trace.Int("SELECT count(*) FROM callsite") == 4);
}

TEST_CASE("folded: gzip, CRLF, comments and a last line without an end", "[folded]") {
  CHECK(ImportText(Gzip("a;b 3\n")).Int("SELECT weight_count FROM sample") == 3);
  CHECK(ImportText("a;b 3\r\na;c 4\r\n").Int("SELECT sum(weight_count) FROM sample") == 7);
  const ImportedText trace = ImportText("# about\n// more\n\na;b 3\na;c 4");
  CHECK(trace.Int("SELECT sum(weight_count) FROM sample") == 7);
  CHECK(trace.Loss("folded_line_not_understood") == 0);
}

TEST_CASE("folded: names tell the kind", "[folded]") {
  CHECK(FramesOf("java;read;sys_read_[k];LBusy;::main_[j];inner_[i] 1\n") ==
        "native java; native read; kernel sys_read; native LBusy; native ::main; native inner");
  CHECK(FramesOf("python;train (train.py:17);<module> (a/b.py);f (x:1) 1\n") ==
        "native python; python train train.py:17; python <module> a/b.py; native f (x:1)");
  CHECK(FramesOf("x;py::f:/a.py;_Z4betav;vfs_read+142;g+0x1f;operator+ 1\n") ==
        "native x; python f /a.py; native beta(); native vfs_read; native g; native operator+");
}

TEST_CASE("folded: odd counts", "[folded]") {
  const ImportedText trace = ImportText(
      "a;b 1\na;b 1\na;b 1\na;b 1\na;b 0\na;b 2.5\na;b 7.0\na;c 10 20\nnothing here\n"
      "a;b 99999999999999999999\na;b -1\n");
  CHECK(trace.Int("SELECT sum(weight_count) FROM sample") == 4 + 3 + 7 + 20);
  CHECK(trace.Loss("folded_count_rounded") == 1);
  CHECK(trace.Loss("folded_two_counts") == 1);
  CHECK(trace.Loss("folded_line_not_understood") == 2);
  CHECK(trace.Loss("folded_count_too_large") == 1);
  CHECK(trace.Int("SELECT count(*) FROM frame") == 3);
}

TEST_CASE("folded: counts never overflow their sum", "[folded]") {
  const ImportedText trace =
      ImportText("a;b 4611686018427387904\na;b 4611686018427387904\na;b 1\na;b 1\na;b 1\na;b 1\n");
  CHECK(trace.Int("SELECT sum(weight_count) FROM sample") == INT64_C(4611686018427387904));
  CHECK(trace.Loss("folded_count_too_large") == 5);
}

TEST_CASE("folded: hostile text is bounded and cleaned", "[folded]") {
  std::string deep = "a;b 1\na;b";
  for (int frame = 0; frame < 5000; ++frame)
    deep += ";c";
  CHECK(ImportText(deep + " 1\n").Loss("perf_stack_cut") == 1);
  const ImportedText trace =
      ImportText("a;b 1\n" + std::string(2 << 20, 'x') + " 1\na;\xff\xe2\x80\xae 1\na;;b 1\n");
  CHECK(trace.Loss("perf_line_too_long") == 1);
  CHECK(trace.Int("SELECT count(*) FROM frame WHERE function_name = '\uFFFD\uFFFD'") == 1);
  CHECK(trace.Int("SELECT count(*) FROM frame WHERE function_name = '[unknown]'") == 1);
}

TEST_CASE("folded: other files are not taken for it", "[folded]") {
  for (const std::string_view text : {
           "just some words 12\nand more 13\n",
           "date;value\n2024-01-01;12\n2024-01-02;13\n",
           "1;2;3 4\n5;6;7 8\n",
           R"({"a": "b;c", "d": 1})"
           "\n",
           "{\"a;b\": 1,\n\"c\": 2\n",
           R"x(1.2.3.4 - - [1/Jan] "GET / HTTP/1.1" 200 1 "-" "Mozilla/5.0 (X11; Linux)" 12)x"
           "\n",
           "http://a/b;c 12\n",
           "a;b 1\nx\ny\nz\n",
       }) {
    const ImportedText trace = ImportText(text);
    INFO(text);
    REQUIRE_FALSE(trace.report.ok());
    CHECK(trace.report.error().message.find("in no format") != std::string::npos);
  }
}
