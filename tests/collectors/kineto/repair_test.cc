// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/repair.h"

#include "tests/catch.h"

using gpuwhy::kineto::CleanJson;
using gpuwhy::kineto::FindArrayEnd;
using gpuwhy::kineto::FindEventStart;
using gpuwhy::kineto::SalvageEvent;

TEST_CASE("repair: cleaning leaves JSON as it is", "[kineto]") {
  const std::string json = R"({"a": [1, -2.5e3, true, null], "b": "\u00e9 \" \\"})";
  CHECK(CleanJson(json) == json);
}

TEST_CASE("repair: cleaning mends words, commas, escapes and control characters", "[kineto]") {
  CHECK(CleanJson("{\"a\": NaN, \"b\": 0x26}") == R"({"a": "NaN", "b": "0x26"})");
  CHECK(CleanJson(R"([, {"a": 1,}, ,])") == R"([ {"a": 1} ])");
  CHECK(CleanJson("{\"a\": \"x\ny\\qz\"}") == R"({"a": "x\u000ay\\qz"})");
}

TEST_CASE("repair: salvaging finds the keys around a name with quotes", "[kineto]") {
  CHECK(
      SalvageEvent(
          R"({"ph": "X", "name": "{"device": "cpu", "dtype": "f"}(12): run", "pid": 1, "ts": 2.0})") ==
      R"({"ph":"X","name":"{\"device\": \"cpu\", \"dtype\": \"f\"}(12): run","pid":1,"ts":2.0})");
  CHECK(SalvageEvent(R"({"ph": "X", "name": "a"b", "args": {"x": 1}})") ==
        R"({"ph":"X","name":"a\"b","args":{"x": 1}})");
  CHECK_FALSE(SalvageEvent(R"({"name": "a"b"})").has_value());
}

TEST_CASE("repair: the next event is found by the writer's keys", "[kineto]") {
  const std::string text = R"({"name": "x"y}, {"z": 1}, {"ph": "X"}, {"args": {"ph": 1}} ] , "a")";
  CHECK(FindEventStart(text, 1) == text.find(R"({"ph": "X")"));
  CHECK(FindEventStart(text, 30) == std::string::npos);
  CHECK(FindArrayEnd(text, 0) == text.find(']'));
}
