// SPDX-License-Identifier: Apache-2.0
// An Ingero database opened for reading: which of the layouts it has, found by asking for columns,
// because its version number is rewritten by every program that opens it. Layouts: 0.8 (numeric
// ids), 0.9 (ids "node:sequence", node, rank), 0.10 (comm, 5 s aggregates, annotations), and 0.8
// files that a newer program altered in place. Owned by one import; one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collectors/foreign_tables.h"
#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy::ingero {

class SourceFile {
 public:
  // Fails with what is missing when the file is no Ingero database.
  static Result<SourceFile> Open(const std::string& path);

  const TraceDb& db() const { return db_; }
  bool Has(std::string_view table) const { return tables_.Has(table); }
  bool Has(std::string_view table, std::string_view column) const {
    return tables_.Has(table, column);
  }
  // `column` when the table has it, else `otherwise`: an expression for a select list.
  std::string ColumnOr(std::string_view table, std::string_view column,
                       std::string_view otherwise) const {
    return tables_.ColumnOr(table, column, otherwise);
  }
  // " AND node = ?1" for tables that name the node, else " AND ?1 IS ?1", so that every query may
  // bind the node first.
  std::string NodeFilter(std::string_view table) const;

  bool HasTextIds() const { return has_text_ids_; }
  const std::string& SchemaVersion() const { return schema_version_; }
  // Nodes that were merged into the file; one empty name when the file does not say.
  const std::vector<std::string>& Nodes() const { return nodes_; }

 private:
  explicit SourceFile(TraceDb db) : db_(std::move(db)) {}
  Status ReadColumns();
  Status ReadVersion();
  Status ReadNodes();

  TraceDb db_;
  ForeignTables tables_;
  bool has_text_ids_ = false;
  std::string schema_version_;
  std::vector<std::string> nodes_;
};

}  // namespace gpuwhy::ingero
