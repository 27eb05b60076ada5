// SPDX-License-Identifier: Apache-2.0
#include "tools/support/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

#include "schema/base/text.h"
#include "tools/support/time_span.h"

namespace gpuwhy {
namespace {

std::optional<int64_t> ParseUtc(const std::string& text) {
  std::tm utc{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%d", &utc);
  if (rest == nullptr) return std::nullopt;
  if (*rest == 'T' || *rest == ' ') rest = strptime(rest + 1, "%H:%M:%S", &utc);
  if (rest == nullptr) return std::nullopt;
  double fraction = 0;
  if (*rest == '.') {
    char* end = nullptr;
    fraction = std::strtod(rest, &end);
    rest = end;
  }
  if (*rest == 'Z') ++rest;
  if (*rest != '\0') return std::nullopt;
  return int64_t{timegm(&utc)} * 1'000'000'000 + std::llround(fraction * 1e9);
}

}  // namespace

Result<int64_t> ParseInstant(std::string_view raw, int64_t trace_start_ns, int64_t trace_end_ns) {
  const std::string text(raw);
  constexpr size_t kShortestUnixNs = 12;
  if (text.size() >= kShortestUnixNs && text.find_first_not_of("0123456789") == std::string::npos) {
    return std::strtoll(text.c_str(), nullptr, 10);
  }
  if (const auto utc = ParseUtc(text)) return *utc;
  if (const auto span_ns = ParseTimeSpan(text)) {
    return (text[0] == '-' ? trace_end_ns : trace_start_ns) + *span_ns;
  }
  return InvalidArgument(
      fmt::format("cannot read the time {}: use -5m (before the end), 12.5s (after the start) or "
                  "2026-03-20T14:06:13Z",
                  CleanText(text, 40)));
}

Result<Window> ResolveWindow(const TraceDb& db, const Params& params) {
  Window window;
  bool is_empty = true;
  GPUWHY_RETURN_IF_ERROR(
      db.Query("SELECT min(start_ns), max(end_ns) FROM capture", {}, [&](const Row& row) {
        is_empty = row.IsNull(0) || row.IsNull(1);
        window.trace_start_ns = row.Int(0);
        window.trace_end_ns = row.Int(1);
      }));
  if (is_empty) {
    return NotFound("the trace has no events: import a file that has some with gpuwhy import");
  }
  window.start_ns = window.trace_start_ns;
  window.end_ns = window.trace_end_ns + 1;
  if (params.Has("since")) {
    GPUWHY_ASSIGN_OR_RETURN(
        const int64_t since,
        ParseInstant(params.Text("since"), window.trace_start_ns, window.trace_end_ns));
    window.start_ns = std::max(window.start_ns, since);
  }
  if (params.Has("until")) {
    GPUWHY_ASSIGN_OR_RETURN(
        const int64_t until,
        ParseInstant(params.Text("until"), window.trace_start_ns, window.trace_end_ns));
    window.end_ns = std::min(window.end_ns, until);
  }
  if (window.start_ns >= window.end_ns) {
    return InvalidArgument(
        fmt::format("no part of the trace lies in that window: the trace runs from {} to {} UTC",
                    FormatTimestamp(window.trace_start_ns), FormatTimestamp(window.trace_end_ns)));
  }
  return window;
}

}  // namespace gpuwhy
