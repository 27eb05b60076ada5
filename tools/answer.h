// SPDX-License-Identifier: Apache-2.0
// What a tool says, as data: rendered as compact text for models and pipes, as coloured tables on a
// terminal, and as JSON, from the same values. Cells carry raw values and the column their unit, so
// JSON has nanoseconds where text has "25.8 ms". Text cells are cleaned by the renderers; names
// from a trace that go into sentences must pass CleanText first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpuwhy {

// Longest sentence that a renderer prints.
inline constexpr size_t kSentenceLimit = 4000;

enum class Unit {
  kText,
  kCount,   // 1,234
  kNs,      // JSON key should end in _ns
  kTimeNs,  // an instant, shown relative to Answer::origin_ns as "+12.406 s"
  kBytes,   // _bytes
  kPct,     // _pct, 0-100
  kRatio,   // _ratio
  kNumber,  // plain number
  kBytesPerSecond,
  kIdentifier,  // pid, tid, row id: no thousands separators
  kRaw,         // as a query gave it: all digits, NULL as NULL
};

using Value = std::variant<std::monostate, int64_t, double, std::string>;

struct Column {
  std::string key;    // JSON key, with unit suffix
  std::string label;  // heading in text; short
  Unit unit = Unit::kText;
};

struct Table {
  std::string key;    // JSON key
  std::string title;  // may be empty
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;
  int64_t total_rows = -1;  // how many there are when rows holds only some; -1 = all are here
  std::string more;         // how to get the rest, for example "call again with limit=50"
};

struct Fact {
  std::string key;
  std::string label;
  Unit unit = Unit::kText;
  Value value;
};

struct Facts {
  std::string key;
  std::string title;
  std::vector<Fact> facts;
};

// A numbered entry with a severity: a finding, a chain.
struct Item {
  std::string severity;  // HIGH, MEDIUM, INFO or empty
  std::string id;
  std::string title;                                       // one sentence
  std::vector<std::pair<std::string, std::string>> lines;  // label, text
  std::vector<Fact> facts;  // evidence: shown on one line, raw in JSON
};

struct Items {
  std::string key;
  std::string title;
  std::vector<Item> items;
  int64_t total_items = -1;
  std::string more;
};

struct Paragraph {
  std::string key;
  std::string text;
};

using Section = std::variant<Facts, Table, Items, Paragraph>;

struct Answer {
  std::string headline;  // the answer in one sentence
  std::vector<Section> sections;
  std::vector<std::string> notes;  // limits of the data, losses, "n stored of m counted"
  std::vector<std::string> next;   // suggested next calls: get_call_stacks process=1234
  int64_t origin_ns = 0;           // instants are shown relative to this
};

struct TextStyle {
  bool has_color = false;
  bool has_bars = false;  // draw shares as bars
  size_t width = 0;       // of the terminal; 0 = do not fit or wrap
  // For models: cells joined by " | ", no padding. False aligns columns for people.
  bool is_compact = true;
};

std::string RenderText(const Answer& answer, const TextStyle& style = {});
std::string RenderJson(const Answer& answer);

// One value in its unit as text, for sentences.
std::string FormatValue(const Value& value, Unit unit, int64_t origin_ns = 0);

}  // namespace gpuwhy
