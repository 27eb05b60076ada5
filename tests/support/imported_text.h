// SPDX-License-Identifier: Apache-2.0
// Imports a text as if it were a file, into a database in memory.
#pragma once

#include <string>
#include <string_view>

#include "collectors/import_file.h"
#include "schema/trace_db.h"

namespace gpuwhy {

struct ImportedText {
  TraceDb db;
  Result<ImportReport> report;

  // First column of the first row.
  int64_t Int(std::string_view sql) const;
  std::string Text(std::string_view sql) const;
  // Events counted for a kind of loss; 0 when it did not occur.
  int64_t Loss(std::string_view name) const;
};

ImportedText ImportText(std::string_view text, const std::string& file_name = "trace.json",
                        const ImportOptions& options = {});

std::string Gzip(std::string_view text);

}  // namespace gpuwhy
