// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/range_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "collectors/nsys/losses.h"
#include "schema/base/text.h"

namespace gpuwhy::nsys {
namespace {

// ENUM_NSYS_EVENT_TYPE.
enum NvtxType : int64_t {
  kNvtxMark = 34,
  kNvtxPushPopRange = 59,
  kNvtxStartEndRange = 60,
  kNvtxDomainCreate = 75,
};

std::optional<int64_t> NumberAt(std::string_view text) {
  int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

NvtxName SplitNvtxName(std::string_view text) {
  constexpr std::string_view kSequence = ", seq = ";
  constexpr std::string_view kOperator = ", op_id = ";
  constexpr std::string_view kSizes = ", sizes = ";
  NvtxName split{.name = text, .sequence_id = {}, .shapes = {}};
  const size_t sequence = text.find(kSequence);
  const size_t op = text.find(kOperator);
  const size_t sizes = text.find(kSizes);
  split.name = text.substr(0, std::min({sequence, op, sizes}));
  if (sequence != std::string_view::npos)
    split.sequence_id = NumberAt(text.substr(sequence + kSequence.size()));
  if (sizes != std::string_view::npos) {
    const std::string_view rest = text.substr(sizes + kSizes.size());
    split.shapes = rest.substr(0, rest.find(", input_op_ids"));
  }
  return split;
}

Status RangeRows::Convert() {
  GPUWHY_RETURN_IF_ERROR(ConvertNvtx());
  GPUWHY_RETURN_IF_ERROR(ConvertNamed("OSRT_API", "osrt"));
  GPUWHY_RETURN_IF_ERROR(ConvertNamed("PROFILER_OVERHEAD", "overhead"));
  return ConvertNamed("CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead");
}

Status RangeRows::ConvertNvtx() {
  return conversion_.EachRow(
      "NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "domainId", "text", "textId"},
      [&](const Row& row) { AddNvtx(row); });
}

std::string RangeRows::RawText(const Row& row) const {
  return row.IsNull(5) ? conversion_.TextOf(row.OptionalInt(6)) : ReplaceInvalidUtf8(row.Text(5));
}

// "domain:text", as nsys stats prints it; without the domain where it is the default one. A domain
// is created before it is used.
std::string RangeRows::TextOfNvtx(const Row& row) const {
  std::string text = RawText(row);
  const auto domain = domains_.find({Actors::PidOf(row.Int(3)), row.Int(4)});
  if (domain != domains_.end() && row.Int(4) != 0)
    text.insert(0, fmt::format("{}:", domain->second));
  return text;
}

void RangeRows::AddNvtx(const Row& row) {
  Recorder& recorder = conversion_.recorder();
  const int64_t type = row.Int(2);
  if (type == kNvtxDomainCreate) domains_[{Actors::PidOf(row.Int(3)), row.Int(4)}] = RawText(row);
  const bool is_range = type == kNvtxPushPopRange || type == kNvtxStartEndRange;
  if (!is_range && type != kNvtxMark) return recorder.Count(kNvtxNotStored);
  if (is_range && row.IsNull(1)) return recorder.Count(kRangeOpen, 1, {}, TextOfNvtx(row));
  if (row.IsNull(3)) return recorder.Count(kThreadMissing);
  const auto span = is_range ? conversion_.SpanOf(row, 0) : conversion_.InstantOf(row, 0);
  if (!span) return;
  const std::string text = TextOfNvtx(row);
  const NvtxName name = SplitNvtxName(text);
  recorder.Add(RangeRow{.start_ns = span->start_ns,
                        .duration_ns = span->duration_ns,
                        .thread_id = conversion_.actors().Thread(row.Int(3)),
                        .name_id = recorder.InternName(name.name),
                        .category = "nvtx",
                        .sequence_id = name.sequence_id,
                        .shapes = name.shapes});
}

Status RangeRows::ConvertNamed(const char* table, const char* category) {
  return conversion_.EachRow(table, {"start", "end", "globalTid", "nameId"}, [&](const Row& row) {
    const auto span = conversion_.SpanOf(row, 0);
    if (!span) return;
    if (row.IsNull(2)) return conversion_.recorder().Count(kThreadMissing);
    conversion_.recorder().Add(RangeRow{.start_ns = span->start_ns,
                                        .duration_ns = span->duration_ns,
                                        .thread_id = conversion_.actors().Thread(row.Int(2)),
                                        .name_id = conversion_.NameOf(row.OptionalInt(3)),
                                        .category = category,
                                        .sequence_id = {},
                                        .shapes = {}});
  });
}

}  // namespace gpuwhy::nsys
