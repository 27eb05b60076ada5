// SPDX-License-Identifier: Apache-2.0
// gpuwhy import: files of other profilers into a trace database. An existing database changes only
// by whole files; a new one appears under its name only when every file is in.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "collectors/import_file.h"
#include "collectors/sha256.h"
#include "schema/base/text.h"
#include "server/commands/command.h"
#include "server/commands/import_files.h"
#include "server/commands/import_target.h"
#include "server/commands/output.h"
#include "server/commands/progress_bar.h"
#include "server/commands/stop_on_signal.h"

namespace gpuwhy {
namespace {

struct ImportArguments {
  std::vector<std::string> files;
  std::string database;
  bool is_again = false;
  bool as_json = false;
};

struct Outcome {
  std::string path;
  std::optional<ImportReport> report;  // absent when the file was in the database already
};

// The capture that holds this very file, or 0. A first import has nothing to compare with.
Result<int64_t> CaptureOf(const TraceDb& db, const std::string& path) {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t has_captures, db.QueryInt("SELECT 1 FROM capture LIMIT 1"));
  if (has_captures == 0) return int64_t{0};
  if (const auto head = ReadFileHead(path); !head.ok()) return head.error();
  GPUWHY_ASSIGN_OR_RETURN(const std::string sha256, Sha256OfFile(path));
  return db.QueryInt("SELECT min(id) FROM capture WHERE sha256 = ?", {std::string_view(sha256)});
}

// Samples are in no roll-up.
Result<int64_t> RowCount(const TraceDb& db, int64_t capture_id) {
  return db.QueryInt(
      "SELECT (SELECT coalesce(sum(l.stored_count), 0) FROM latency l JOIN process p ON p.id = "
      "l.process_id WHERE p.capture_id = ?1) + (SELECT count(*) FROM sample s JOIN thread t ON "
      "t.id = s.thread_id JOIN process p ON p.id = t.process_id WHERE p.capture_id = ?1)",
      {capture_id});
}

Status AddLosses(const TraceDb& db, int64_t capture_id, Table& losses) {
  return db.Query("SELECT name, severity, event_count, description FROM loss WHERE capture_id = ?",
                  {capture_id}, [&](const Row& row) {
                    losses.rows.push_back({std::string(row.Text(0)), std::string(row.Text(1)),
                                           row.Int(2), std::string(row.Text(3))});
                  });
}

Result<Answer> Summary(const TraceDb& db, const std::vector<Outcome>& outcomes,
                       const std::string& database) {
  Table captures{.key = "captures",
                 .columns = {{"file", "file"},
                             {"format", "format"},
                             {"size_bytes", "size", Unit::kBytes},
                             {"event_count", "events", Unit::kCount}}};
  Table losses{.key = "losses",
               .title = "Records skipped, repaired or remarkable",
               .columns = {{"name", "kind"},
                           {"severity", "severity"},
                           {"event_count", "records", Unit::kCount},
                           {"description", "what happened"}}};
  Answer answer;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.report) {
      answer.notes.push_back(
          fmt::format("{} is in the database already: skipped (--again imports "
                      "it once more)",
                      CleanText(outcome.path, kPathLimit)));
      continue;
    }
    const ImportReport& report = *outcome.report;
    GPUWHY_ASSIGN_OR_RETURN(const int64_t rows, RowCount(db, report.capture_id));
    captures.rows.push_back(
        {outcome.path, report.importer, static_cast<int64_t>(report.size_bytes), rows});
    GPUWHY_RETURN_IF_ERROR(AddLosses(db, report.capture_id, losses));
  }
  const size_t count = captures.rows.size();
  answer.headline = fmt::format("Imported {} file{} into {}", count, count == 1 ? "" : "s",
                                CleanText(database, kPathLimit));
  if (count > 0) answer.sections.emplace_back(std::move(captures));
  if (!losses.rows.empty()) answer.sections.emplace_back(std::move(losses));
  answer.next.push_back(fmt::format("gpuwhy explain {}", CleanText(database, kPathLimit)));
  return answer;
}

void AddSkipped(const std::vector<std::string>& skipped, Answer& answer) {
  constexpr size_t kNamed = 3;
  if (skipped.empty()) return;
  std::string note =
      fmt::format("skipped in the folders, in no format that gpuwhy reads: {} file{}",
                  skipped.size(), skipped.size() == 1 ? "" : "s");
  for (size_t i = 0; i < std::min(kNamed, skipped.size()); ++i)
    note += fmt::format("{} {}", i == 0 ? ":" : ",", CleanText(skipped[i], kPathLimit));
  answer.notes.push_back(note);
}

Result<Answer> ImportAll(const TraceDb& db, const ImportArguments& options,
                         const std::string& database) {
  const StopOnSignal stop;
  std::vector<Outcome> outcomes;
  GPUWHY_ASSIGN_OR_RETURN(const ImportFiles found, FindImportFiles(options.files));
  for (const std::string& file : found.files) {
    GPUWHY_ASSIGN_OR_RETURN(const int64_t known, CaptureOf(db, file));
    outcomes.push_back({.path = file});
    if (known != 0 && !options.is_again) continue;
    ProgressBar bar(std::filesystem::path(file).filename().string());
    const auto progress = [&](uint64_t done_bytes, uint64_t total_bytes) {
      bar.Update(done_bytes, total_bytes);
    };
    GPUWHY_ASSIGN_OR_RETURN(outcomes.back().report,
                            ImportFile(db, file, {.stop = stop.token(), .progress = progress}));
  }
  GPUWHY_ASSIGN_OR_RETURN(Answer answer, Summary(db, outcomes, database));
  AddSkipped(found.skipped, answer);
  return answer;
}

int Run(const ImportArguments& options) {
  const std::string database = options.database.empty() ? DefaultDatabase() : options.database;
  auto target = ImportTarget::Open(database);
  if (!target.ok()) return PrintError(target.error());
  auto summary = ImportAll(target.value().db(), options, database);
  if (!summary.ok()) return PrintError(summary.error());
  if (const Status kept = target.value().Keep(); !kept.ok()) return PrintError(kept.error());
  PrintAnswers({{"import", std::move(summary).value()}}, options.as_json);
  return kExitFine;
}

}  // namespace

void AddImport(CLI::App& app, RunFunction& run) {
  auto options = std::make_shared<ImportArguments>();
  CLI::App* command =
      app.add_subcommand("import", "Read files of other profilers into a trace database");
  command
      ->add_option(
          "files", options->files,
          "Files, or folders of them (the ranks of a job); formats are recognised by content")
      ->required();
  command->add_option("--db", options->database,
                      "Database to write (default: $GPUWHY_DB or the user's)");
  command->add_flag("--again", options->is_again, "Import files that are in the database already");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->footer("Example: gpuwhy import trace.json.gz --db trace.db");
  command->callback([&run, options] { run = [options] { return Run(*options); }; });
}

}  // namespace gpuwhy
