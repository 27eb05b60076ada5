// SPDX-License-Identifier: Apache-2.0
// Turns the text of one event into a TraceEvent. Keeps the parser's memory between events; one
// thread at a time.
//   {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 5012.125, "dur": 8.2,
//    "args": {"correlation": 11, "stream": 7, "device": 0, "grid": [4, 1, 1]}}
#pragma once

#include <simdjson.h>

#include <deque>
#include <string>
#include <string_view>

#include "collectors/kineto/trace_event.h"

namespace gpuwhy::kineto {

// Strings that had to be decoded live here; a deque, so that they stay where they are.
using TextArena = std::deque<std::string>;

class EventParser {
 public:
  // `text` must be followed by EventStream::kPaddingBytes readable bytes. False when it is not a
  // JSON object. Texts of the event point into `text` or into `arena`.
  bool Parse(std::string_view text, TextArena& arena, TraceEvent& event);

 private:
  using Value = simdjson::ondemand::value;

  bool TakeField(std::string_view key, Value value);
  bool TakeArgs(Value value);
  bool TakeArg(std::string_view key, Value value);
  std::string_view Text(Value value);
  TraceId Id(Value value);
  std::optional<int64_t> Time(Value value);
  std::optional<int64_t> Number(Value value);
  std::string_view Whole(Value value) const;
  bool TakeDimensions(Value value, std::array<int64_t, 3>& out);

  simdjson::ondemand::parser parser_;
  TextArena* arena_ = nullptr;
  TraceEvent* event_ = nullptr;
  const char* end_ = nullptr;
  // Neighbours share their category, so it is looked up once per run.
  std::string last_category_text_;
  Category last_category_ = Category::kNone;
};

}  // namespace gpuwhy::kineto
