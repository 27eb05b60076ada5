// SPDX-License-Identifier: Apache-2.0
#include "collectors/nsys/export_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/base/text.h"

namespace gpuwhy::nsys {
namespace {

// One of them beside StringIds makes a file an export: none is in every one.
constexpr std::array<std::string_view, 6> kTellingTables = {
    "META_DATA_EXPORT", "EXPORT_META_DATA",    "TARGET_INFO_SESSION_START_TIME",
    "NVTX_EVENTS",      "SAMPLING_CALLCHAINS", "CUPTI_ACTIVITY_KIND_RUNTIME"};

}  // namespace

Result<ExportFile> ExportFile::Open(const std::string& path) {
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db, TraceDb::OpenForeign(path));
  ExportFile file(std::move(db));
  GPUWHY_ASSIGN_OR_RETURN(file.tables_, ForeignTables::Read(file.db_));
  const bool is_export = file.tables_.Has("StringIds", "value") &&
                         std::any_of(kTellingTables.begin(), kTellingTables.end(),
                                     [&](const auto name) { return file.tables_.Has(name); });
  if (is_export) return file;
  return CorruptInput(
      fmt::format("{} is not an export of Nsight Systems: it lacks StringIds or every table of "
                  "events (make one with: nsys export --type sqlite report.nsys-rep)",
                  CleanText(path, kPathLimit)));
}

Status ExportFile::ReadStrings() {
  return db_.Query("SELECT id, value FROM StringIds", {},
                   [&](const Row& row) { strings_.emplace(row.Int(0), std::string(row.Text(1))); });
}

std::optional<std::string_view> ExportFile::Text(int64_t id) const {
  const auto it = strings_.find(id);
  if (it == strings_.end()) return std::nullopt;
  return it->second;
}

std::string ExportFile::ExportFact(std::string_view name) const {
  std::string value;
  for (const std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    if (!value.empty() || !tables_.Has(table, "value") || !tables_.Has(table, "name")) continue;
    (void)db_.Query(fmt::format("SELECT value FROM {} WHERE name = ?1", table), {name},
                    [&](const Row& row) { value = CleanText(row.Text(0)); });
  }
  return value;
}

std::optional<int64_t> ExportFile::SessionStartNs() const {
  std::optional<int64_t> start_ns;
  if (!tables_.Has("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")) return start_ns;
  (void)db_.Query("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME LIMIT 1", {},
                  [&](const Row& row) { start_ns = row.OptionalInt(0); });
  // Sums with times of events must stay in range; a date before 1970 or after 2110 is damage.
  if (start_ns && (*start_ns < 0 || *start_ns > INT64_MAX / 2)) start_ns.reset();
  return start_ns;
}

int64_t ExportFile::SizeOf(std::string_view table) const {
  if (!tables_.Has(table)) return 0;
  const auto size = db_.QueryInt(fmt::format("SELECT max(rowid) FROM {}", QuotedIdentifier(table)));
  return size.ok() ? std::max<int64_t>(size.value(), 0) : 0;
}

}  // namespace gpuwhy::nsys
