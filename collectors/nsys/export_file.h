// SPDX-License-Identifier: Apache-2.0
// An Nsight Systems SQLite export opened for reading (schemas 2.9 to 3.25, and before them without
// a meta table). Tables and columns come and go between versions, so everything is asked for by
// name and what is absent reads as NULL. Owned by one import; one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collectors/foreign_tables.h"

namespace gpuwhy::nsys {

class ExportFile {
 public:
  // Fails with what is missing when the file is no such export.
  static Result<ExportFile> Open(const std::string& path);

  const TraceDb& db() const { return db_; }
  const ForeignTables& tables() const { return tables_; }
  // Fills texts; apart from Open because recognising a file must be quick.
  Status ReadStrings();
  // The text of StringIds; nothing when it lacks the number.
  std::optional<std::string_view> Text(int64_t id) const;
  // A value of META_DATA_EXPORT or, as it was called before 2023.3, EXPORT_META_DATA; "" if none.
  std::string ExportFact(std::string_view name) const;
  // Time stamps count from the session's start: what to add to get Unix time.
  std::optional<int64_t> SessionStartNs() const;
  // The largest row number of a table: how much there is to read, without a scan.
  int64_t SizeOf(std::string_view table) const;

 private:
  explicit ExportFile(TraceDb db) : db_(std::move(db)) {}

  TraceDb db_;
  ForeignTables tables_;
  std::unordered_map<int64_t, std::string> strings_;
};

}  // namespace gpuwhy::nsys
