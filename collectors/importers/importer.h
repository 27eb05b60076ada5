// SPDX-License-Identifier: Apache-2.0
// An importer reads one foreign format into the database. Each is a value made by Define() in
// collectors/importers/<name>.cc; the registry is generated. Formats are recognised by content,
// never by file name. An importer streams: memory must stay far below the size of the input.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

// What sniffing may look at.
struct FileHead {
  std::string path;
  uint64_t size_bytes = 0;
  std::string raw;   // first 64 KiB as stored
  std::string text;  // the same after gunzip where the file is gzip, else equal to raw
  bool is_gzip = false;
};

struct ImportRequest {
  const TraceDb& db;  // inside a transaction that the caller commits or rolls back
  FileHead head;
  std::stop_token stop;  // give up soon after a stop
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress;  // may be empty
};

struct Importer {
  std::string_view name;         // equals the file name; capture.kind may be shared
  std::string_view description;  // one line for --help and for "not recognised" errors
  int priority = 0;              // unique; higher is asked first
  bool (*sniff)(const FileHead& head) = nullptr;
  // Returns the id of the capture it made. The caller adds the hash of the file.
  Result<int64_t> (*import)(const ImportRequest& request) = nullptr;
};

}  // namespace gpuwhy

namespace gpuwhy::collectors::importers {
const std::vector<Importer>& AllImporters();
}  // namespace gpuwhy::collectors::importers
