// SPDX-License-Identifier: Apache-2.0
#include "collectors/ingero/source_file.h"

#include <fmt/format.h>

#include <array>

#include "schema/base/text.h"

namespace gpuwhy::ingero {
namespace {

constexpr std::array<std::string_view, 7> kEventColumns = {"timestamp", "pid",      "tid", "source",
                                                           "op",        "duration", "arg0"};

}  // namespace

std::string SourceFile::NodeFilter(std::string_view table) const {
  return Has(table, "node") ? " AND node = ?1" : " AND ?1 IS ?1";
}

Status SourceFile::ReadColumns() {
  GPUWHY_ASSIGN_OR_RETURN(tables_, ForeignTables::Read(db_));
  has_text_ids_ = tables_.TypeOf("events", "id") == "TEXT";
  for (const std::string_view column : kEventColumns) {
    if (Has("events", column)) continue;
    return CorruptInput(fmt::format("{} is not an Ingero database: it has no events.{}",
                                    CleanText(db_.uri()), column));
  }
  return {};
}

Status SourceFile::ReadVersion() {
  if (!Has("schema_info", "value")) return {};
  return db_.Query("SELECT value FROM schema_info WHERE key = 'version'", {},
                   [&](const Row& row) { schema_version_ = CleanText(row.Text(0)); });
}

Status SourceFile::ReadNodes() {
  for (const std::string_view table : {"events", "sessions"}) {
    if (!nodes_.empty() || !Has(table, "node")) continue;
    GPUWHY_RETURN_IF_ERROR(
        db_.Query(fmt::format("SELECT DISTINCT node FROM {} ORDER BY node", table), {},
                  [&](const Row& row) { nodes_.emplace_back(row.Text(0)); }));
  }
  if (nodes_.empty()) nodes_.emplace_back();
  return {};
}

Result<SourceFile> SourceFile::Open(const std::string& path) {
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db, TraceDb::OpenForeign(path));
  SourceFile file(std::move(db));
  GPUWHY_RETURN_IF_ERROR(file.ReadColumns());
  GPUWHY_RETURN_IF_ERROR(file.ReadVersion());
  GPUWHY_RETURN_IF_ERROR(file.ReadNodes());
  return file;
}

}  // namespace gpuwhy::ingero
