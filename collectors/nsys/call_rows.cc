// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/call_rows.h"

#include <algorithm>

#include "collectors/nsys/losses.h"
#include "schema/base/text.h"

namespace gpuwhy::nsys {

// The driver's own "_v2" is part of the name; versions of headers have four digits or more.
std::string_view WithoutApiVersion(std::string_view name) {
  constexpr size_t kFewestDigits = 4;
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || !name.starts_with("cu")) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool is_version =
      digits.size() >= kFewestDigits && std::all_of(digits.begin(), digits.end(), &IsDigit);
  return is_version ? name.substr(0, at) : name;
}

Status CallRows::Convert() {
  GPUWHY_RETURN_IF_ERROR(stacks_.Read("CUDA_CALLCHAINS"));
  return conversion_.EachRow(
      "CUPTI_ACTIVITY_KIND_RUNTIME",
      {"start", "end", "globalTid", "nameId", "correlationId", "returnValue", "callchainId"},
      [&](const Row& row) { Add(row); });
}

int64_t CallRows::NameOf(std::optional<int64_t> string_id) {
  int64_t& name = names_[string_id.value_or(INT64_MIN)];
  if (name == 0)
    name = conversion_.recorder().InternName(WithoutApiVersion(conversion_.TextOf(string_id)));
  return name;
}

void CallRows::Add(const Row& row) {
  const auto span = conversion_.SpanOf(row, 0);
  if (!span) return;
  if (row.IsNull(2)) return conversion_.recorder().Count(kThreadMissing);
  ApiCallRow call{.start_ns = span->start_ns, .duration_ns = span->duration_ns};
  call.thread_id = conversion_.actors().Thread(row.Int(2));
  call.name_id = NameOf(row.OptionalInt(3));
  if (row.Int(4) != 0) call.correlation_id = row.Int(4);
  call.return_code = row.OptionalInt(5);
  call.callsite_id = stacks_.CallsiteOf(row.OptionalInt(6));
  Outer& outer = outer_[call.thread_id];
  const int64_t end_ns = call.start_ns + call.duration_ns;
  const bool is_inside = call.start_ns >= outer.start_ns && end_ns <= outer.end_ns;
  if (is_inside) call.parent_id = outer.row_id;
  if (call.start_ns < outer.start_ns) conversion_.recorder().Count(kCallOutOfOrder);
  const int64_t row_id = conversion_.recorder().Add(call);
  if (!is_inside) outer = {.start_ns = call.start_ns, .end_ns = end_ns, .row_id = row_id};
}

}  // namespace gpuwhy::nsys
