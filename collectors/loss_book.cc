// SPDX-License-Identifier: Apache-2.0
#include "collectors/loss_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/row_binder.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

std::string_view SeverityName(LossSeverity severity) {
  switch (severity) {
    case LossSeverity::kInfo:
      return "info";
    case LossSeverity::kRepaired:
      return "repaired";
    case LossSeverity::kDataLoss:
      return "data_loss";
  }
  return "";
}

}  // namespace

void LossBook::Count(const LossKind& kind, int64_t count, std::optional<int64_t> time_ns,
                     std::string_view example) {
  auto it = entries_.find(kind.name);
  if (it == entries_.end()) {
    it = entries_.emplace(std::string(kind.name), Entry{kind, 0, {}, {}, CleanText(example), {}})
             .first;
  }
  Entry& entry = it->second;
  entry.count += count;
  if (!time_ns) return;
  entry.first_ns = std::min(entry.first_ns.value_or(*time_ns), *time_ns);
  entry.last_ns = std::max(entry.last_ns.value_or(*time_ns), *time_ns);
}

void LossBook::Set(const LossKind& kind, int64_t count) {
  if (count == 0) return;
  entries_.try_emplace(std::string(kind.name), Entry{kind, 0, {}, {}, {}, {}}).first->second.count =
      count;
}

void LossBook::Describe(const LossKind& kind, std::string_view detail) {
  const auto [it, is_new] =
      entries_.try_emplace(std::string(kind.name), Entry{kind, 0, {}, {}, {}, {}});
  it->second.detail = CleanText(detail);
}

std::vector<std::pair<LossKind, int64_t>> LossBook::All() const {
  std::vector<std::pair<LossKind, int64_t>> all;
  for (const auto& [name, entry] : entries_)
    all.emplace_back(entry.kind, entry.count);
  return all;
}

Status LossBook::Write(const TraceDb& db, int64_t capture_id) const {
  GPUWHY_RETURN_IF_ERROR(
      db.Query("DELETE FROM loss WHERE capture_id = ?", {capture_id}, [](const Row&) {}));
  for (const auto& [name, entry] : entries_) {
    std::string description(entry.kind.description);
    if (!entry.example.empty()) description += fmt::format(" (first: {})", entry.example);
    if (!entry.detail.empty()) description += fmt::format(" ({})", entry.detail);
    GPUWHY_RETURN_IF_ERROR(
        db.Query("INSERT INTO loss (capture_id, name, severity, event_count, first_ns, last_ns, "
                 "description, advice) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                 {capture_id, std::string_view(name), SeverityName(entry.kind.severity),
                  entry.count, Value(entry.first_ns), Value(entry.last_ns),
                  std::string_view(description), entry.kind.advice},
                 [](const Row&) {}));
  }
  return {};
}

}  // namespace gpuwhy
