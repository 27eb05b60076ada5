// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/structure.h"

#include "tests/catch.h"

using gpuwhy::kineto::ArraySearch;
using gpuwhy::kineto::FindEventArray;
using gpuwhy::kineto::FindValueEnd;

namespace {

// Length of the value at the beginning, or 0.
size_t Length(std::string text) {
  const size_t size = text.size();
  text.resize(size + gpuwhy::kineto::kScanPaddingBytes);
  const char* end = FindValueEnd(text.data(), text.data() + size);
  return end == nullptr ? 0 : static_cast<size_t>(end - text.data());
}

}  // namespace

TEST_CASE("structure: an object ends at its own bracket", "[kineto]") {
  CHECK(Length("{}x") == 2);
  CHECK(Length(R"({"a": [1, {"b": "}"}], "c": "\"}"} , {)") == 34);
  CHECK(Length(R"({"a": 1)") == 0);
  CHECK(Length(R"({"a": "}")") == 0);
}

TEST_CASE("structure: strings and escapes across block boundaries are followed", "[kineto]") {
  for (size_t pad = 0; pad < 140; ++pad) {
    for (size_t slashes = 0; slashes < 5; ++slashes) {
      // An even number of backslashes leaves the quote behind them a quote.
      const std::string escapes(slashes, '\\');
      const std::string string =
          std::string(pad, 'x') + escapes + (slashes % 2 == 0 ? "\"" : "\"}\"");
      const std::string text = "{\"" + string + ": 1}";
      INFO(text);
      CHECK(Length(text + ", {}") == text.size());
    }
  }
}

TEST_CASE("structure: the event array is found at the top level only", "[kineto]") {
  const std::string text = R"( {"a": {"traceEvents": [1]}, "s": "traceEvents", "traceEvents" : [{)";
  const auto found = FindEventArray(text);
  REQUIRE(found.outcome == ArraySearch::kFound);
  CHECK(text.substr(found.offset) == "{");
  CHECK(FindEventArray("\xEF\xBB\xBF\n[").offset == 5);
  CHECK(FindEventArray(R"({"traceEvents": 5})").outcome == ArraySearch::kAbsent);
  CHECK(FindEventArray(R"({"spans": []})").outcome == ArraySearch::kAbsent);
  CHECK(FindEventArray(R"({"traceEve)").outcome == ArraySearch::kNeedMore);
  CHECK(FindEventArray(R"({"traceEvents":)").outcome == ArraySearch::kNeedMore);
  CHECK(FindEventArray("").outcome == ArraySearch::kNeedMore);
}
