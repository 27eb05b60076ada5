// SPDX-License-Identifier: Apache-2.0
#include "server/commands/trace_summary.h"

#include <fmt/format.h>

#include <filesystem>

#include "schema/base/text.h"
#include "server/commands/output.h"

namespace gpuwhy {
namespace {

std::string StatusText(const TraceOutcome& outcome) {
  constexpr int kSignalBase = 128;
  if (!outcome.command_status) {
    return fmt::format("still runs as process {}", outcome.command_pid);
  }
  const int status = *outcome.command_status;
  return status > kSignalBase ? fmt::format("ended by signal {}", status - kSignalBase)
                              : fmt::format("exited with {}", status);
}

Facts FactsOf(const std::string& database, const TraceOutcome& outcome) {
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(database, failure);
  Facts facts{.key = "recording", .title = {}, .facts = {}};
  const auto add = [&](const char* key, const char* label, Unit unit, Value value) {
    facts.facts.push_back({key, label, unit, std::move(value)});
  };
  add("database", "database", Unit::kText, database);
  add("database_bytes", "size", Unit::kBytes, failure ? int64_t{0} : static_cast<int64_t>(bytes));
  add("duration_ns", "duration", Unit::kNs, static_cast<int64_t>(outcome.duration_seconds * 1e9));
  add("event_count", "events counted", Unit::kCount, outcome.event_count);
  add("stored_count", "of these, rows", Unit::kCount, outcome.stored_count);
  if (outcome.command.empty()) return facts;
  add("command", "program", Unit::kText, outcome.command);
  add("command_status", "its end", Unit::kText, StatusText(outcome));
  return facts;
}

Result<Table> LossesOf(const std::string& database) {
  Table losses{.key = "losses",
               .title = "What the trace lacks, and what to do",
               .columns = {{"name", "kind"},
                           {"severity", "severity"},
                           {"event_count", "events", Unit::kCount},
                           {"description", "what happened"},
                           {"advice", "what to do"}},
               .rows = {},
               .more = {}};
  GPUWHY_ASSIGN_OR_RETURN(const TraceDb db, TraceDb::OpenReadOnly(database));
  GPUWHY_RETURN_IF_ERROR(db.Query(
      "SELECT name, severity, event_count, description, coalesce(advice, '') FROM loss WHERE "
      "event_count > 0 ORDER BY severity, event_count DESC",
      {}, [&](const Row& row) {
        losses.rows.push_back({std::string(row.Text(0)), std::string(row.Text(1)), row.Int(2),
                               std::string(row.Text(3)), std::string(row.Text(4))});
      }));
  return losses;
}

// The titles are the finding; their evidence is for gpuwhy explain.
void AddFindings(const Answer& findings, Answer& answer) {
  for (const Section& section : findings.sections) {
    const auto* items = std::get_if<Items>(&section);
    if (items == nullptr || items->key != "findings") continue;
    Items titles{.key = "findings", .title = "Findings", .items = {}, .more = {}};
    for (const Item& item : items->items) {
      titles.items.push_back({.severity = item.severity,
                              .id = item.id,
                              .title = item.title,
                              .lines = {},
                              .facts = {}});
    }
    if (!titles.items.empty()) answer.sections.emplace_back(std::move(titles));
  }
}

Status Explain(const std::string& database, Answer& answer) {
  TraceSet traces;
  GPUWHY_RETURN_IF_ERROR(OpenTrace(traces, database));
  GPUWHY_ASSIGN_OR_RETURN(const Answer findings, CallTool(traces, "get_findings", Json::object()));
  answer.sections.emplace_back(Paragraph{.key = "verdict", .text = findings.headline});
  AddFindings(findings, answer);
  GPUWHY_ASSIGN_OR_RETURN(const Answer causes,
                          CallTool(traces, "get_gpu_idle_causes", Json::object()));
  answer.sections.emplace_back(Paragraph{.key = "idle_causes", .text = causes.headline});
  return {};
}

}  // namespace

Result<Answer> SummarizeTrace(const std::string& database, const TraceOutcome& outcome) {
  Answer answer;
  answer.headline = fmt::format(
      "Recorded {} into {}", FormatDuration(static_cast<int64_t>(outcome.duration_seconds * 1e9)),
      CleanText(database, kPathLimit));
  answer.sections.emplace_back(FactsOf(database, outcome));
  GPUWHY_ASSIGN_OR_RETURN(Table losses, LossesOf(database));
  if (!losses.rows.empty()) answer.sections.emplace_back(std::move(losses));
  if (const Status explained = Explain(database, answer); !explained.ok()) {
    answer.notes.push_back(CleanText(explained.error().message, 400));
  }
  answer.next.push_back(fmt::format("gpuwhy explain {}", CleanText(database, kPathLimit)));
  return answer;
}

}  // namespace gpuwhy
