// SPDX-License-Identifier: Apache-2.0
// The database that an import writes: the one named when it exists, else a file of a temporary name
// beside it, which gets its name only when everything is in. One thread.
#pragma once

#include <memory>
#include <string>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

class ImportTarget {
 public:
  static Result<ImportTarget> Open(const std::string& database);
  ~ImportTarget();  // removes a new database that was not kept
  ImportTarget(ImportTarget&&) noexcept = default;
  ImportTarget& operator=(ImportTarget&&) = delete;

  const TraceDb& db() const { return *db_; }
  // Closes the database and gives it its name.
  Status Keep();

 private:
  ImportTarget(TraceDb db, std::string database, std::string path);

  std::unique_ptr<TraceDb> db_;  // null after Keep or a move
  std::string database_;
  std::string path_;  // what is written; database_ when that exists
};

}  // namespace gpuwhy
