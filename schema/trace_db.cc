// SPDX-License-Identifier: Apache-2.0
#include "schema/trace_db.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <map>

#include "schema/embedded.h"
#include "schema/file_header.h"
#include "schema/hardening.h"
#include "schema/import_hint.h"
#include "schema/sql_functions.h"

namespace gpuwhy {
namespace {

constexpr int kProgressInstructions =
    2000;                               // VDBE steps between two looks at the stop token, ~20 us
constexpr size_t kMaxStatements = 200;  // kept prepared

// Steps from older schema versions, oldest first. Version 1 is the first.
constexpr std::span<const Migration> kMigrations;

std::string EscapeUriPath(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

Status RunQuery(Statement& statement, TraceDb::Arguments arguments,
                const TraceDb::RowFunction& on_row) {
  int index = 0;
  for (const SqlValue& argument : arguments)
    statement.Bind(++index, argument);
  while (true) {
    const auto stepped = statement.Step();
    if (!stepped.ok() || !stepped.value()) {
      statement.Reset();
      return stepped.ok() ? Status() : Status(stepped.error());
    }
    on_row(statement.row());
  }
}

bool IsInMemory(const std::string& path) {
  return path.starts_with("file:/gpuwhy-memory-");
}

}  // namespace

std::string_view StatementText(const EmbeddedFile& file) {
  std::string_view text = file.text.substr(file.text.find("CREATE"));
  return text.substr(0, text.rfind(';'));
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* handle = sqlite3_db_handle(get());
  const char* text = sqlite3_errmsg(handle);
  if (code == SQLITE_INTERRUPT) {
    return Error{ErrorCode::kCancelled, "the query was stopped before it finished"};
  }
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
    return CorruptInput(
        fmt::format("the trace database is damaged ({}): copy or record it again", text));
  }
  return code == SQLITE_ERROR ? InvalidArgument(text)
                              : Unavailable(fmt::format("SQLite: {}", text));
}

Status Statement::Run() {
  const auto stepped = Step();
  Reset();
  return stepped.ok() ? Status() : Status(stepped.error());
}

int TraceDb::OnProgress(void* interrupt) {
  const auto* state = static_cast<const Interrupt*>(interrupt);
  if (state->stop.stop_requested()) return 1;
  return state->deadline && std::chrono::steady_clock::now() > *state->deadline ? 1 : 0;
}

void TraceDb::SetInterrupt(std::stop_token stop,
                           std::optional<std::chrono::steady_clock::time_point> deadline) const {
  interrupt_->stop = std::move(stop);
  interrupt_->deadline = deadline;
}

Error TraceDb::LastError(std::string_view doing) const {
  const int code = sqlite3_errcode(handle());
  const char* text = sqlite3_errmsg(handle());
  if (code == SQLITE_INTERRUPT) {
    return {ErrorCode::kCancelled, fmt::format("{} was stopped before it finished", doing)};
  }
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
    return CorruptInput(
        fmt::format("{}: the file is damaged ({}): copy or record it again", doing, text));
  }
  if (code == SQLITE_ERROR || code == SQLITE_AUTH) return InvalidArgument(text);
  if (code == SQLITE_READONLY) {
    // Writing is refused before it can come to this: what wants to write is the recovery.
    return Unavailable(
        fmt::format("{}: {}; a writer died in the middle of a transaction: open the file once for "
                    "writing to undo it",
                    doing, text));
  }
  return Unavailable(fmt::format("{}: {}", doing, text));
}

Result<TraceDb> TraceDb::Open(const std::string& path, int flags) {
  TraceDb db;
  db.uri_ = path;
  sqlite3* raw = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  db.handle_.reset(raw);
  if (code != SQLITE_OK) {
    return Unavailable(fmt::format("cannot open {}: {}", path, sqlite3_errstr(code)));
  }
  Harden(raw);
  sqlite3_busy_timeout(raw, 2000);
  db.interrupt_ = std::make_unique<Interrupt>();
  sqlite3_progress_handler(raw, kProgressInstructions, &OnProgress, db.interrupt_.get());
  GPUWHY_RETURN_IF_ERROR(RegisterSqlFunctions(raw));
  return db;
}

// Opens a file so that neither it nor its directory can change. A WAL file is special: SQLite wants
// a shared-memory file beside it even for reading.
// - no -wal: nobody writes and the file is complete in itself, so it is read as immutable;
// - -wal and -shm: a recorder is writing; its shared memory is joined;
// - -wal alone: left by a crash or a copy. The WAL is indexed on the heap, which SQLite does for an
//   exclusive connection; unix-none takes no lock, which a read-only descriptor could not.
Result<TraceDb> TraceDb::OpenFile(const std::string& path) {
  GPUWHY_ASSIGN_OR_RETURN(const FileHeader header, ReadHeader(path));
  const bool has_wal = header.is_wal && std::filesystem::exists(path + "-wal");
  const bool is_orphan = has_wal && !std::filesystem::exists(path + "-shm");
  std::string uri = fmt::format("file:{}?mode=ro", EscapeUriPath(path));
  if (header.is_wal && !has_wal) uri += "&immutable=1";
  if (is_orphan) uri += "&vfs=unix-none";
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db, Open(uri, SQLITE_OPEN_READONLY));
  sqlite3_db_config(db.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (is_orphan) GPUWHY_RETURN_IF_ERROR(db.Execute("PRAGMA locking_mode = EXCLUSIVE"));
  db.uri_ = path;
  return db;
}

Status TraceDb::Restrict() const {
  // Table-valued functions declare their columns on first use by a statement that the authorizer
  // would refuse. Those that queries may use are therefore used once now; an older SQLite may lack
  // one.
  for (const char* sql :
       {"SELECT 1 FROM pragma_table_info('name')", "SELECT 1 FROM pragma_table_list LIMIT 1",
        "SELECT 1 FROM json_each('[]')", "SELECT 1 FROM json_tree('[]')"}) {
    (void)Execute(sql);
  }
  GPUWHY_RETURN_IF_ERROR(Execute("PRAGMA query_only = 1"));
  AllowOnlyReading(handle());
  return {};
}

Result<TraceDb> TraceDb::OpenReadOnly(const std::string& path) {
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db,
                          IsInMemory(path) ? Open(path, SQLITE_OPEN_READONLY) : OpenFile(path));
  GPUWHY_RETURN_IF_ERROR(db.CheckVersion(path, kSchemaVersion));
  GPUWHY_RETURN_IF_ERROR(db.CheckSchema(path));
  GPUWHY_RETURN_IF_ERROR(db.Restrict());
  return db;
}

Result<TraceDb> TraceDb::OpenForeign(const std::string& path) {
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db, OpenFile(path));
  GPUWHY_RETURN_IF_ERROR(db.Restrict());
  return db;
}

Result<TraceDb> TraceDb::OpenForWriting(const std::string& path) {
  const bool is_new = !std::filesystem::exists(path);
  if (!is_new) GPUWHY_RETURN_IF_ERROR(ReadHeader(path));
  GPUWHY_ASSIGN_OR_RETURN(
      TraceDb db, Open("file:" + EscapeUriPath(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  db.uri_ = path;
  if (is_new) {
    GPUWHY_RETURN_IF_ERROR(db.CreateSchema());
    return db;
  }
  GPUWHY_RETURN_IF_ERROR(db.CheckVersion(path, 1));
  GPUWHY_ASSIGN_OR_RETURN(const int64_t version, db.QueryInt("PRAGMA user_version"));
  GPUWHY_RETURN_IF_ERROR(Migrate(db, static_cast<int>(version), kMigrations));
  GPUWHY_RETURN_IF_ERROR(db.CheckSchema(path));
  GPUWHY_ASSIGN_OR_RETURN(const int64_t triggers,
                          db.QueryInt("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"));
  if (triggers > 0) {
    return CorruptInput(
        fmt::format("{} has triggers, which gpuwhy never makes: write to another file", path));
  }
  return db;
}

Result<TraceDb> TraceDb::CreateInMemory() {
  static std::atomic<int> next{0};
  const std::string uri = fmt::format("file:/gpuwhy-memory-{}?vfs=memdb", next++);
  GPUWHY_ASSIGN_OR_RETURN(TraceDb db, Open(uri, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  GPUWHY_RETURN_IF_ERROR(db.CreateSchema());
  return db;
}

Status TraceDb::CreateSchema() const {
  GPUWHY_RETURN_IF_ERROR(Execute("PRAGMA page_size = 16384"));
  std::string script = "BEGIN;";
  for (const auto& files : {EmbeddedTables(), EmbeddedViews()}) {
    for (const EmbeddedFile& file : files)
      script.append(file.text);
  }
  script += fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT;",
                        kApplicationId, kSchemaVersion);
  return Execute(script);
}

Status TraceDb::CheckVersion(const std::string& path, int oldest) const {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t application, QueryInt("PRAGMA application_id"));
  if (application != kApplicationId) {
    return CorruptInput(
        fmt::format("{} is a SQLite database but not a gpuwhy trace; {}", path, kImportHint));
  }
  GPUWHY_ASSIGN_OR_RETURN(const int64_t version, QueryInt("PRAGMA user_version"));
  if (version > kSchemaVersion) {
    return Unavailable(
        fmt::format("{} was written by a newer gpuwhy (schema version {}, this program reads up to "
                    "{}): upgrade gpuwhy",
                    path, version, kSchemaVersion));
  }
  if (version < oldest) {
    return Unavailable(fmt::format(
        "{} has the old schema version {} (this program reads {}): record or import it again", path,
        version, kSchemaVersion));
  }
  return {};
}

// A file whose tables are views, or whose views are not ours, could make every query run its code.
Status TraceDb::CheckSchema(const std::string& path) const {
  std::map<std::string, std::string, std::less<>> found;
  GPUWHY_RETURN_IF_ERROR(
      Query("SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view')", {},
            [&](const Row& row) { found.emplace(row.Text(0), row.Text(1)); }));
  for (const auto& files : {EmbeddedTables(), EmbeddedViews()}) {
    for (const EmbeddedFile& file : files) {
      const auto it = found.find(file.name);
      if (it == found.end() || it->second != StatementText(file)) {
        return CorruptInput(
            fmt::format("{} is damaged or was tampered with: its {} is not that of schema version "
                        "{}; record or import it again",
                        path, file.name, kSchemaVersion));
      }
    }
  }
  // Virtual tables are code that reads its own tables, with a history of bugs on hostile ones.
  GPUWHY_ASSIGN_OR_RETURN(
      const int64_t virtual_tables,
      QueryInt("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage = 0"));
  if (virtual_tables > 0) {
    return CorruptInput(fmt::format(
        "{} has virtual tables, which gpuwhy never makes: record or import it again", path));
  }
  return {};
}

Status TraceDb::Execute(const std::string& sql) const {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return LastError("writing the trace database");
}

Status TraceDb::CreateIndexes() const {
  for (const EmbeddedFile& file : EmbeddedIndexes()) {
    GPUWHY_RETURN_IF_ERROR(Execute(std::string(file.text)));
  }
  return {};
}

Result<Statement> TraceDb::Prepare(std::string_view sql) const {
  if (sql.size() > kMaxSqlBytes) {
    return InvalidArgument(fmt::format("the statement has {} bytes; at most {} are allowed",
                                       sql.size(), kMaxSqlBytes));
  }
  const auto prepare = [&](std::string_view text, const char** tail) -> Result<Statement> {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(handle(), text.data(), static_cast<int>(text.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, tail);
    if (code != SQLITE_OK) return LastError("preparing a query");
    return Statement(statement);
  };
  const char* tail = nullptr;
  GPUWHY_ASSIGN_OR_RETURN(Statement statement, prepare(sql, &tail));
  if (statement.get() == nullptr) return InvalidArgument("the statement is empty");
  // VACUUM INTO would write another file and asks no authorizer.
  const bool is_read_only = sqlite3_db_readonly(handle(), "main") == 1;
  if (is_read_only && sqlite3_stmt_readonly(statement.get()) == 0) {
    return InvalidArgument("not authorized: this trace is open for reading only");
  }
  // SQLite stops at the first semicolon; what follows may only be blank or a comment.
  const auto rest = sql.substr(static_cast<size_t>(tail - sql.data()));
  const auto second = prepare(rest, nullptr);
  if (!second.ok() || second.value().get() != nullptr) {
    return InvalidArgument("one statement at a time: remove what follows the semicolon");
  }
  return statement;
}

Status TraceDb::Query(std::string_view sql, Arguments arguments, const RowFunction& on_row) const {
  auto it = statements_.find(std::string(sql));
  if (it == statements_.end()) {
    GPUWHY_ASSIGN_OR_RETURN(Statement prepared, Prepare(sql));
    // Texts with numbers in them would else pile up in a server.
    if (statements_.size() >= kMaxStatements) {
      std::erase_if(statements_,
                    [](const auto& kept) { return sqlite3_stmt_busy(kept.second.get()) == 0; });
    }
    it = statements_.emplace(std::string(sql), std::move(prepared)).first;
  }
  // A query made while the same text is being read (from its row function) gets a statement of its
  // own.
  if (sqlite3_stmt_busy(it->second.get()) != 0) {
    GPUWHY_ASSIGN_OR_RETURN(Statement nested, Prepare(sql));
    return RunQuery(nested, arguments, on_row);
  }
  return RunQuery(it->second, arguments, on_row);
}

Result<int64_t> TraceDb::QueryInt(std::string_view sql, Arguments arguments) const {
  std::optional<int64_t> value;
  GPUWHY_RETURN_IF_ERROR(Query(sql, arguments, [&](const Row& row) {
    if (!value) value = row.Int(0);
  }));
  return value.value_or(0);
}

Status Migrate(const TraceDb& db, int version, std::span<const Migration> steps) {
  for (const Migration& step : steps) {
    if (step.from < version) continue;
    Status done = db.Execute(
        fmt::format("BEGIN; {}; PRAGMA user_version = {}; COMMIT", step.sql, step.from + 1));
    if (!done.ok()) {
      if (sqlite3_get_autocommit(db.handle()) == 0) (void)db.Execute("ROLLBACK");
      return done;
    }
  }
  return {};
}

}  // namespace gpuwhy
