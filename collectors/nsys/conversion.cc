// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectors/nsys/losses.h"
#include "schema/base/text.h"

namespace gpuwhy::nsys {
namespace {

// A session of more than a century is damage; sums with Unix time stay in range.
constexpr int64_t kMaxSessionNs = INT64_MAX / 4;
constexpr int64_t kRowsPerProgress = 4096;

}  // namespace

Conversion::Conversion(const ImportRequest& request, const ExportFile& file, Recorder& recorder)
    : request_(request),
      file_(file),
      recorder_(recorder),
      actors_(recorder),
      clock_offset_ns_(file.SessionStartNs().value_or(0)) {
  for (const std::string& table : file.tables().Names())
    total_count_ += file.SizeOf(table);
}

Status Conversion::EachRow(std::string_view table, const std::vector<std::string_view>& columns,
                           const std::function<void(const Row&)>& on_row) {
  if (!file_.tables().Has(table)) return {};
  GPUWHY_RETURN_IF_ERROR(file_.db().Query(
      fmt::format("SELECT {} FROM {}", file_.tables().SelectList(table, columns), table), {},
      [&](const Row& row) {
        on_row(row);
        ShowProgress();
      }));
  return recorder_.status();
}

void Conversion::ShowProgress() {
  if (++done_count_ % kRowsPerProgress != 0 || !request_.progress) return;
  const double done =
      static_cast<double>(done_count_) / static_cast<double>(std::max(total_count_, done_count_));
  const uint64_t size_bytes = request_.head.size_bytes;
  request_.progress(static_cast<uint64_t>(done * static_cast<double>(size_bytes)), size_bytes);
}

std::optional<int64_t> Conversion::TimeOf(const Row& row, int column) {
  const auto time_ns = row.OptionalInt(column);
  if (time_ns && *time_ns > -kMaxSessionNs && *time_ns < kMaxSessionNs)
    return *time_ns + clock_offset_ns_;
  recorder_.Count(kTimeUnreadable);
  return std::nullopt;
}

std::optional<Span> Conversion::SpanOf(const Row& row, int start_column) {
  const auto end = row.OptionalInt(start_column + 1);
  const bool is_whole = end && *end < kMaxSessionNs && *end >= row.Int(start_column);
  if (!is_whole) {
    recorder_.Count(kTimeUnreadable);
    return std::nullopt;
  }
  const auto start_ns = TimeOf(row, start_column);
  if (!start_ns) return std::nullopt;
  return Span{.start_ns = *start_ns, .duration_ns = *end - row.Int(start_column)};
}

std::optional<Span> Conversion::InstantOf(const Row& row, int column) {
  const auto time_ns = TimeOf(row, column);
  if (!time_ns) return std::nullopt;
  return Span{.start_ns = *time_ns, .duration_ns = 0};
}

std::string Conversion::TextOf(std::optional<int64_t> string_id) {
  const auto raw = string_id ? file_.Text(*string_id) : std::nullopt;
  if (!raw) {
    recorder_.Count(kNameMissing);
    return string_id ? fmt::format("text {}", *string_id) : "unnamed";
  }
  std::string text = ReplaceInvalidUtf8(*raw);
  if (text != *raw) recorder_.Count(kTextNotUtf8, 1, {}, text);
  return text;
}

int64_t Conversion::NameOf(std::optional<int64_t> string_id) {
  int64_t& name = names_[string_id.value_or(INT64_MIN)];
  if (name == 0) name = recorder_.InternName(TextOf(string_id));
  return name;
}

int64_t Conversion::NameOf(std::string_view text) {
  const std::string valid = ReplaceInvalidUtf8(text);
  if (valid != text) recorder_.Count(kTextNotUtf8, 1, {}, valid);
  return recorder_.InternName(valid);
}

}  // namespace gpuwhy::nsys
