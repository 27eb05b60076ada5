// SPDX-License-Identifier: Apache-2.0
// Turns the text of one event into a TraceEvent. Keeps the parser's memory between events; one
// thread at a time.
//   {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 5012.125, "dur": 8.2,
//    "args": {"correlation": 11, "stream": 7, "device": 0, "grid": [4, 1, 1]}}
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "collectors/kineto/trace_event.h"

namespace gpuwhy::kineto {

// Strings that had to be decoded live here; a deque, so that they stay where they are.
using TextArena = std::deque<std::string>;

class EventParser {
 public:
  EventParser();
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  // `text` must be followed by EventStream::kPaddingBytes readable bytes. False when it is not a
  // JSON object. Texts of the event point into `text` or into `arena`. `event` must be new:
  // clearing it here as well cost 6 % of an import.
  bool Parse(std::string_view text, TextArena& arena, TraceEvent& event);

 private:
  // Hides simdjson, whose classes change with the flags of whoever includes it.
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpuwhy::kineto
