// SPDX-License-Identifier: Apache-2.0
#include "tests/support/imported.h"

#include "collectors/import_file.h"

namespace gpuwhy {

Result<TraceDb> Imported(const std::string& path) {
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db, TraceDb::CreateInMemory());
  GPUWHY_ASSIGN_OR_RETURN(const ImportReport report, ImportFile(db, path, {}));
  GPUWHY_CHECK(report.capture_id > 0);
  return db;
}

std::vector<std::string> Rows(const TraceDb& db, const std::string& sql) {
  std::vector<std::string> rows;
  const Status status = db.Query(sql, {}, [&](const Row& row) {
    std::string text;
    for (int column = 0; column < row.ColumnCount(); ++column) {
      if (column > 0) text += '|';
      text += row.Text(column);
    }
    rows.push_back(std::move(text));
  });
  if (!status.ok()) return {"error: " + status.error().message};
  return rows;
}

std::string OneRow(const TraceDb& db, const std::string& sql) {
  const auto rows = Rows(db, sql);
  return rows.empty() ? "" : rows.front();
}

int64_t LossCount(const TraceDb& db, const std::string& name) {
  const auto count = db.QueryInt("SELECT sum(event_count) FROM loss WHERE name = ?1", {name});
  return count.ok() ? count.value() : -1;
}

}  // namespace gpuwhy
