// SPDX-License-Identifier: Apache-2.0
// Traces that are not what they should be: malformed, cut, compressed in parts, mutated.
#include <fmt/format.h>

#include <random>

#include "tests/catch.h"
#include "tests/support/imported_text.h"

using gpuwhy::Gzip;
using gpuwhy::ImportedText;
using gpuwhy::ImportText;

namespace {

std::string Op(int i, std::string_view name) {
  return fmt::format(
      R"({{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 1, "tid": 1, "ts": {}.125, "dur": 3.5, "args": {{"External id": {}}}}})",
      name, i * 10, i);
}

std::string Trace(std::string_view middle) {
  return fmt::format(
      "{{\"schemaVersion\": 1, \"traceEvents\": [\n{},\n{},\n{}\n], \"traceName\": \"t\"}}",
      Op(1, "before"), middle, Op(3, "after"));
}

std::string Names(const ImportedText& trace) {
  return trace.Text(
      "SELECT group_concat(name, '|') FROM (SELECT name FROM ranges ORDER BY start_ns)");
}

}  // namespace

TEST_CASE("kineto: quotes in a name are kept as part of it", "[kineto]") {
  const ImportedText trace =
      ImportText(Trace(Op(2, R"({"device": "cpu", "dtype": "f"}(12): run)")));
  CHECK(Names(trace) == R"(before|{"device": "cpu", "dtype": "f"}(12): run|after)");
  CHECK(trace.Loss("kineto_event_repaired") == 1);
  CHECK(trace.Text("SELECT facts ->> '$.trace_name' FROM capture") == "t");
}

TEST_CASE("kineto: a lone quote in a name costs no other event", "[kineto]") {
  const ImportedText trace = ImportText(Trace(Op(2, R"(5" disk)")));
  CHECK(Names(trace) == R"(before|5" disk|after)");
  CHECK(trace.Loss("kineto_event_repaired") == 1);
}

TEST_CASE("kineto: a lone quote in the last event costs no metadata", "[kineto]") {
  const ImportedText trace =
      ImportText(fmt::format(R"({{"traceEvents": [{}, {}], "distributedInfo": {{"rank": 5}}}})",
                             Op(1, "a"), Op(2, "5\" disk")));
  CHECK(Names(trace) == R"(a|5" disk)");
  CHECK(trace.Int("SELECT rank FROM capture") == 5);
}

TEST_CASE("kineto: a file full of objects that do not end is read in linear time", "[kineto]") {
  constexpr int kCount = 20'000;
  std::string open;
  for (int i = 0; i < kCount; ++i)
    open += R"({"ph": "X", "cat": "cpu_op", "name": "open", "args": {"b": {"a": 1},)"
            "\n";

  const ImportedText trace = ImportText(Trace(open + Op(2, "good")));

  CHECK(Names(trace) == "before|good|after");
  CHECK(trace.Loss("kineto_event_repaired") + trace.Loss("kineto_event_unreadable") == kCount);
}

TEST_CASE("kineto: control characters, invalid UTF-8 and bare words are mended", "[kineto]") {
  CHECK(Names(ImportText(Trace(Op(2, "a\nb\tc\x1b[31m")))) == "before|a\nb\tc\x1b[31m|after");
  CHECK(Names(ImportText(Trace(Op(2, "caf\xe9")))) == "before|caf\xEF\xBF\xBD|after");
  const ImportedText trace = ImportText(Trace(
      R"({"ph": "X", "name": "p", "pid": 1, "tid": 1, "ts": 20, "dur": 1, "args": {"a": NaN, "b": 0x26, "c": ncclFloat32,},})"));
  CHECK(Names(trace) == "before|p|after");
}

TEST_CASE("kineto: elements that are no events are counted", "[kineto]") {
  const ImportedText trace = ImportText(Trace(R"({}, {"name": "no phase"}, null)"));
  CHECK(Names(trace) == "before|after");
  CHECK(trace.Loss("kineto_event_without_phase") == 2);
  CHECK(trace.Loss("kineto_event_unreadable") == 1);
}

TEST_CASE("kineto: events without a usable time are counted", "[kineto]") {
  const ImportedText trace = ImportText(Trace(R"(
    {"ph": "X", "cat": "kernel", "name": "no ts", "pid": 0, "tid": 7, "dur": 1},
    {"ph": "X", "cat": "kernel", "name": "huge", "pid": 0, "tid": 7, "ts": 99999999999999999999, "dur": 1},
    {"ph": "X", "cat": "kernel", "name": "no dur", "pid": 0, "tid": 7, "ts": 1},
    {"ph": "X", "cat": "cpu_op", "name": "back", "pid": 1, "tid": 1, "ts": 22, "dur": -4})"));
  CHECK(trace.Int("SELECT count(*) FROM gpu_op") == 0);
  CHECK(trace.Loss("kineto_event_without_time") == 2);
  CHECK(trace.Loss("kineto_event_without_duration") == 1);
  CHECK(trace.Loss("kineto_negative_duration") == 1);
  CHECK(trace.Int("SELECT duration_ns FROM ranges WHERE name = 'back'") == 0);
}

TEST_CASE("kineto: time stamps of 0 amid a running clock do not stretch the trace", "[kineto]") {
  const ImportedText trace = ImportText(R"([
    {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 7, "ts": 5021345678901.250, "dur": 12.480},
    {"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 7, "ts": 0.000, "dur": 0.000}])");
  CHECK(trace.Int("SELECT end_ns - start_ns FROM capture") == 12480);
  CHECK(trace.Loss("kineto_zero_time") == 1);
}

TEST_CASE("kineto: a file that ends early keeps what came before", "[kineto]") {
  const std::string whole = Trace(Op(2, "middle"));
  const ImportedText cut = ImportText(whole.substr(0, whole.find("after") + 3));
  CHECK(Names(cut) == "before|middle");
  CHECK(cut.Loss("kineto_event_truncated") == 1);
  CHECK(cut.Loss("kineto_file_truncated") == 1);
}

TEST_CASE("kineto: gzip in several members is one file, and a cut one keeps its beginning",
          "[kineto]") {
  std::string many;
  for (int i = 0; i < 20'000; ++i)
    many += (i == 0 ? "" : ",\n") + Op(i, fmt::format("op{}", i * 7919 % 10'007));
  const std::string text = "{\"traceEvents\": [" + many + "]}";
  const ImportedText members =
      ImportText(Gzip(text.substr(0, 1000)) + Gzip(text.substr(1000)), "t.json.gz");
  CHECK(members.Int("SELECT count(*) FROM range") == 20'000);

  const std::string packed = Gzip(text);
  const ImportedText cut = ImportText(packed.substr(0, packed.size() / 2), "t.json.gz");
  REQUIRE(cut.report.ok());
  CHECK(cut.Int("SELECT count(*) FROM range") > 5'000);
  CHECK(cut.Loss("kineto_file_damaged") == 1);
  CHECK(cut.Loss("kineto_file_truncated") == 1);
}

TEST_CASE("kineto: an event longer than a chunk is read whole", "[kineto]") {
  std::string list;
  for (int i = 0; i < 200'000; ++i)
    list += fmt::format("{}[{}, 1024]", i == 0 ? "" : ", ", i);
  const ImportedText trace = ImportText(Trace(
      R"({"ph": "X", "cat": "cpu_op", "name": "long", "pid": 1, "tid": 1, "ts": 20, "dur": 1, "args": {"other": [)" +
      list + R"(], "Sequence number": 77}})"));
  CHECK(Names(trace) == "before|long|after");
  CHECK(trace.Int("SELECT sequence_id FROM ranges WHERE name = 'long'") == 77);
}

TEST_CASE("kineto: what is no Chrome trace is refused and changes nothing", "[kineto]") {
  const std::string text =
      GENERATE(as<std::string>{}, R"({"traceEvents": {"ph": "X"}})", R"({"traceEvents": "ph"})",
               R"({"a": "traceEvents", "b": ["traceEvents", 1]})", R"([1, 2, "ph", 3])",
               R"({"traceEvents)", "[\"ph\"");
  const ImportedText trace = ImportText(text);
  REQUIRE_FALSE(trace.report.ok());
  CHECK(trace.report.error().code == gpuwhy::ErrorCode::kCorruptInput);
  CHECK(trace.Int("SELECT (SELECT count(*) FROM capture) + (SELECT count(*) FROM name)") == 0);
}

TEST_CASE("kineto: a stopped import changes nothing", "[kineto]") {
  std::stop_source stop;
  stop.request_stop();
  const ImportedText trace =
      ImportText(Trace(Op(2, "middle")), "trace.json", {.stop = stop.get_token()});
  REQUIRE_FALSE(trace.report.ok());
  CHECK(trace.report.error().code == gpuwhy::ErrorCode::kCancelled);
  CHECK(trace.Int("SELECT count(*) FROM capture") == 0);
}

TEST_CASE("kineto: progress ends at the size of the file", "[kineto]") {
  uint64_t done_bytes = 0;
  uint64_t total_bytes = 1;
  const ImportedText trace = ImportText(Gzip(Trace(Op(2, "middle"))), "trace.json.gz",
                                        {.progress = [&](uint64_t done, uint64_t total) {
                                          done_bytes = done;
                                          total_bytes = total;
                                        }});
  REQUIRE(trace.report.ok());
  CHECK(done_bytes == total_bytes);
}

TEST_CASE("kineto: mutated traces give rows or one sentence, never a crash", "[kineto]") {
  const std::string whole = Trace(
      Op(2, R"(esc\"aped \\ \u00e9)") +
      R"(, {"ph": "B", "name": "x", "pid": "p", "tid": -3, "ts": "4.5"}, {"ph": "E", "pid": "p", "tid": -3, "ts": 5},
      {"ph": "C", "name": "c", "pid": 1, "ts": 3, "args": {"": 3, "b": 4}},
      {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1e3, "dur": 2, "args": {"grid": [1, 2, 3], "correlation": 4}})");
  std::mt19937 random(20261129);
  const auto below = [&](size_t limit) { return random() % std::max<size_t>(limit, 1); };
  constexpr std::string_view kNasty("\"\\{}[],:\0\n\xff-9e.", 15);
  for (int round = 0; round < 600; ++round) {
    std::string text = whole;
    for (size_t change = below(4) + 1; change > 0; --change) {
      const size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.insert(at, 1, kNasty[below(kNasty.size())]);
          break;
        case 2:
          text.erase(at, below(20));
          break;
        default:
          text.resize(std::max<size_t>(at, 40));
      }
    }
    INFO(round << ": " << text);
    const ImportedText trace = ImportText(text);
    if (trace.report.ok()) {
      CHECK(trace.Int("SELECT count(*) FROM capture") == 1);
    } else {
      CHECK(trace.report.error().message.find('\n') == std::string::npos);
      CHECK(trace.Int("SELECT count(*) FROM capture") == 0);
    }
  }
}
