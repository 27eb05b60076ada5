// SPDX-License-Identifier: Apache-2.0
// gpuwhy import: files of other profilers into a trace database. An existing database changes only
// by whole files; a new one appears under its name only when every file is in.
#include <fmt/format.h>

#include <filesystem>

#include "collectors/import_file.h"
#include "schema/base/text.h"
#include "server/commands/command.h"
#include "server/commands/output.h"
#include "server/commands/progress_bar.h"

namespace gpuwhy {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string database;
  bool as_json = false;
};

struct Imported {
  std::string path;
  ImportReport report;
};

// Where to write: the database itself when it exists, else a name beside it that is moved at the
// end.
class Target {
 public:
  static Result<Target> Open(const std::string& database) {
    std::error_code failure;
    const bool is_new = !std::filesystem::exists(database, failure);
    const auto folder = std::filesystem::path(database).parent_path();
    if (is_new && !folder.empty()) std::filesystem::create_directories(folder, failure);
    const std::string path = is_new ? database + ".importing" : database;
    if (is_new) std::filesystem::remove(path, failure);
    GPUWHY_ASSIGN_OR_RETURN(TraceDb db, TraceDb::OpenForWriting(path));
    return Target(std::move(db), database, path);
  }

  const TraceDb& db() const { return *db_; }

  Status Keep() {
    db_.reset();
    if (path_ == database_) return {};
    std::error_code failure;
    std::filesystem::rename(path_, database_, failure);
    if (failure) {
      return Unavailable(fmt::format("cannot write {}: {}", database_, failure.message()));
    }
    return {};
  }

  void Discard() {
    db_.reset();
    std::error_code ignored;
    if (path_ != database_) std::filesystem::remove(path_, ignored);
  }

 private:
  Target(TraceDb db, std::string database, std::string path)
      : db_(std::make_unique<TraceDb>(std::move(db))),
        database_(std::move(database)),
        path_(std::move(path)) {}

  std::unique_ptr<TraceDb> db_;
  std::string database_;
  std::string path_;
};

Result<int64_t> RowCount(const TraceDb& db, int64_t capture_id) {
  return db.QueryInt(
      "SELECT coalesce(sum(l.stored_count), 0) FROM latency l JOIN process p ON p.id = "
      "l.process_id "
      "WHERE p.capture_id = ?",
      {capture_id});
}

Result<Answer> Summary(const TraceDb& db, const std::vector<Imported>& files,
                       const std::string& database) {
  Answer answer;
  answer.headline = fmt::format("Imported {} file{} into {}", files.size(),
                                files.size() == 1 ? "" : "s", CleanText(database, 200));
  Table captures{.key = "captures",
                 .columns = {{"file", "file"},
                             {"format", "format"},
                             {"size_bytes", "size", Unit::kBytes},
                             {"event_count", "events", Unit::kCount}}};
  Table losses{.key = "losses",
               .title = "Records skipped or repaired",
               .columns = {{"name", "kind"},
                           {"severity", "severity"},
                           {"event_count", "records", Unit::kCount},
                           {"description", "what happened"}}};
  for (const Imported& file : files) {
    GPUWHY_ASSIGN_OR_RETURN(const int64_t rows, RowCount(db, file.report.capture_id));
    captures.rows.push_back(
        {file.path, file.report.importer, static_cast<int64_t>(file.report.size_bytes), rows});
    GPUWHY_RETURN_IF_ERROR(
        db.Query("SELECT name, severity, event_count, description FROM loss WHERE capture_id = ?",
                 {file.report.capture_id}, [&](const Row& row) {
                   losses.rows.push_back({std::string(row.Text(0)), std::string(row.Text(1)),
                                          row.Int(2), std::string(row.Text(3))});
                 }));
  }
  answer.sections.emplace_back(std::move(captures));
  if (!losses.rows.empty()) answer.sections.emplace_back(std::move(losses));
  answer.next.push_back(fmt::format("gpuwhy explain {}", CleanText(database, 200)));
  return answer;
}

Result<Answer> ImportAll(const TraceDb& db, const Options& options, const std::string& database) {
  std::vector<Imported> imported;
  for (const std::string& file : options.files) {
    ProgressBar bar(std::filesystem::path(file).filename().string());
    GPUWHY_ASSIGN_OR_RETURN(
        ImportReport report,
        ImportFile(db, file, {.progress = [&](uint64_t done_bytes, uint64_t total_bytes) {
                     bar.Update(done_bytes, total_bytes);
                   }}));
    imported.push_back({file, std::move(report)});
  }
  return Summary(db, imported, database);
}

int Run(const Options& options) {
  const std::string database = options.database.empty() ? DefaultDatabase() : options.database;
  auto target = Target::Open(database);
  if (!target.ok()) return PrintError(target.error());
  auto summary = ImportAll(target.value().db(), options, database);
  if (!summary.ok()) {
    target.value().Discard();
    return PrintError(summary.error());
  }
  if (const Status kept = target.value().Keep(); !kept.ok()) return PrintError(kept.error());
  PrintAnswers({{"import", std::move(summary).value()}}, options.as_json);
  return kExitFine;
}

}  // namespace

void AddImport(CLI::App& app, RunFunction& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("import", "Read files of other profilers into a trace database");
  command->add_option("files", options->files, "Files; the format is recognised by content")
      ->required();
  command->add_option("--db", options->database,
                      "Database to write (default: $GPUWHY_DB or the user's)");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer("Example: gpuwhy import trace.json.gz --db trace.db");
  command->callback([&run, options] { run = [options] { return Run(*options); }; });
}

}  // namespace gpuwhy
