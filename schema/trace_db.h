// SPDX-License-Identifier: Apache-2.0
// TraceDb owns one SQLite connection to one trace database. One thread at a time; open several
// handles for several threads. A read-only handle never changes a byte of the file, runs nothing
// but SELECT (authorizer, query_only, defensive) and is safe on hostile files. Errors are one
// sentence each.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>

#include "schema/base/result.h"
#include "schema/statement.h"

namespace gpuwhy {

inline constexpr int kSchemaVersion = 1;
inline constexpr int kApplicationId = 0x47505557;  // "GPUW"

// One step of the schema: brings a database of version `from` to `from + 1`.
struct Migration {
  int from;
  std::string_view sql;
};

class TraceDb {
 public:
  using RowFunction = std::function<void(const Row&)>;
  using Arguments = std::initializer_list<SqlValue>;

  // `path` is a file or the uri() of an in-memory database of this process.
  static Result<TraceDb> OpenReadOnly(const std::string& path);
  // Creates the file when absent, migrates it when older.
  static Result<TraceDb> OpenForWriting(const std::string& path);
  // Any SQLite file of another program, for importers: read-only like OpenReadOnly, its schema
  // unchecked. Triggers and views of such a file are hostile: ask for tables by name only after
  // looking at sqlite_schema.
  static Result<TraceDb> OpenForeign(const std::string& path);
  // A private database in memory; other handles of the process open it through uri().
  static Result<TraceDb> CreateInMemory();

  const std::string& uri() const { return uri_; }

  Status Execute(const std::string& sql) const;
  Result<Statement> Prepare(std::string_view sql) const;
  // Calls `on_row` for each row. Statements are cached by text: use literals and arguments.
  Status Query(std::string_view sql, Arguments arguments, const RowFunction& on_row) const;
  // First column of the first row; NULL and no row are 0.
  Result<int64_t> QueryInt(std::string_view sql, Arguments arguments = {}) const;

  // Long queries end with kCancelled when `stop` is requested or `deadline` passes.
  void SetInterrupt(std::stop_token stop,
                    std::optional<std::chrono::steady_clock::time_point> deadline) const;

  // Builds the indexes of schema/indexes.sql; for after a bulk load.
  Status CreateIndexes() const;

  sqlite3* handle() const { return handle_.get(); }
  // The engine's last error as our Error: cancelled, corrupt or internal.
  Error LastError(std::string_view doing) const;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  struct Interrupt {
    std::stop_token stop;
    std::optional<std::chrono::steady_clock::time_point> deadline;
  };

  static Result<TraceDb> Open(const std::string& path, int flags);
  static Result<TraceDb> OpenFile(const std::string& path);
  static int OnProgress(void* interrupt);
  Status Restrict() const;
  Status CreateSchema() const;
  Status CheckSchema(const std::string& path) const;
  Status CheckVersion(const std::string& path, int oldest) const;

  std::string uri_;
  std::unique_ptr<sqlite3, Closer> handle_;
  std::unique_ptr<Interrupt> interrupt_;
  // Destroyed before handle_.
  mutable std::unordered_map<std::string, Statement> statements_;
};

// Runs the steps that lead from `version` to the newest; each step is one transaction.
Status Migrate(const TraceDb& db, int version, std::span<const Migration> steps);

}  // namespace gpuwhy
