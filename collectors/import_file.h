// SPDX-License-Identifier: Apache-2.0
// Imports one file of any known format. The database changes only if the whole import succeeds.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "collectors/importers/importer.h"
#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

struct ImportOptions {
  std::stop_token stop;
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress;
};

struct ImportReport {
  std::string importer;
  int64_t capture_id = 0;
  uint64_t size_bytes = 0;
};

// The importer that recognises the content, or null.
const Importer* FindImporter(const FileHead& head);

Result<FileHead> ReadFileHead(const std::string& path);
Result<ImportReport> ImportFile(const TraceDb& db, const std::string& path,
                                const ImportOptions& options);

}  // namespace gpuwhy
