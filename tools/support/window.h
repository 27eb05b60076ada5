// SPDX-License-Identifier: Apache-2.0
// The part of a trace that a call is about, from the parameters since and until.
#pragma once

#include <cstdint>
#include <string_view>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/params.h"

namespace gpuwhy {

struct Window {
  int64_t start_ns = 0;  // inclusive
  int64_t end_ns = 0;    // exclusive
  int64_t trace_start_ns = 0;
  int64_t trace_end_ns = 0;

  int64_t duration_ns() const { return end_ns - start_ns; }
  bool operator==(const Window&) const = default;
  bool IsWholeTrace() const { return start_ns <= trace_start_ns && end_ns >= trace_end_ns; }
};

// "-5m" counts from the end of the trace, "12.5s" from its start, "2026-03-20T14:06:13Z" and
// integers of >= 12 digits (Unix ns) are absolute. Units: ns us ms s m h.
Result<int64_t> ParseInstant(std::string_view text, int64_t trace_start_ns, int64_t trace_end_ns);

// The window of since/until, clipped to the trace. kNotFound when the trace has no events, and
// kInvalidArgument when the window is empty; both say what to do.
Result<Window> ResolveWindow(const TraceDb& db, const Params& params);

}  // namespace gpuwhy
