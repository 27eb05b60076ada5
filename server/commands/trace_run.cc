// SPDX-License-Identifier: Apache-2.0
#include "server/commands/trace_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "collectors/process/proc_status.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr auto kLongestWait = std::chrono::milliseconds(100);
// A training that is told to end writes its last checkpoint line; more it shall not hold us.
constexpr auto kProgramMayTake = std::chrono::seconds(5);

// The database grows in its log until the end.
int64_t BytesOf(const std::string& database) {
  int64_t bytes = 0;
  for (const char* ending : {"", "-wal"}) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(database + ending, failure);
    if (!failure) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

std::string LibrariesText(const std::vector<ProbedLibrary>& libraries) {
  std::set<std::string> names;
  for (const ProbedLibrary& library : libraries)
    names.insert(CleanText(std::filesystem::path(library.path).filename().string(), 40));
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "no GPU library yet" : text;
}

}  // namespace

Status TraceRun::Start(const TraceDb& db, TracePlan plan) {
  database_ = db.uri();
  duration_ = plan.duration;
  if (!options_.command.empty()) {
    // Lines of JSON are for a program to read, so the other program's lines go elsewhere.
    auto child =
        TracedChild::Make(options_.command, options_.as_json ? STDERR_FILENO : STDOUT_FILENO);
    if (!child.ok()) return child.error();
    child_ = std::make_unique<TracedChild>(std::move(child).value());
    plan.recording.pids = {child_->pid()};
  }
  GPUWHY_ASSIGN_OR_RETURN(recording_, LiveRecording::Start(db, std::move(plan.recording)));
  if (child_ != nullptr) GPUWHY_RETURN_IF_ERROR(child_->Begin());
  start_ = end_ = Clock::now();
  next_second_ = start_ + std::chrono::seconds(1);
  return {};
}

Status TraceRun::Record() {
  const auto view = MakeLiveView({.is_quiet = options_.is_quiet,
                                  .as_json = options_.as_json,
                                  .shares_terminal = child_ != nullptr});
  while (!IsOver(*view))
    GPUWHY_RETURN_IF_ERROR(ReadAndShow(*view));
  GPUWHY_RETURN_IF_ERROR(LetProgramEnd(*view));
  end_ = Clock::now();
  return recording_->Finish();
}

Status TraceRun::ReadAndShow(LiveView& view) {
  GPUWHY_RETURN_IF_ERROR(recording_->Read(kLongestWait));
  view.Refresh();
  if (Clock::now() < next_second_) return {};
  next_second_ += std::chrono::seconds(1);
  GPUWHY_ASSIGN_OR_RETURN(SecondSummary second, recording_->EndSecond());
  view.Show(StateOf(std::move(second)));
  return {};
}

bool TraceRun::IsOver(const LiveView& view) {
  if (stop_.count() > 0 || view.IsGone()) return true;
  if (duration_ && Clock::now() - start_ >= *duration_) return true;
  if (child_ != nullptr) return child_->Ended().has_value();
  return !options_.pids.empty() && recording_->Targets().empty();
}

// Who ends the recording ends the program too; its last moments are recorded. A second signal ends
// the wait. After --duration the program goes on without us.
Status TraceRun::LetProgramEnd(LiveView& view) {
  if (child_ == nullptr || stop_.count() == 0) return {};
  if (stop_.to_pass_on() != 0) child_->Signal(stop_.to_pass_on());
  const int signals = stop_.count();
  const auto latest = Clock::now() + kProgramMayTake;
  while (!child_->Ended() && Clock::now() < latest && stop_.count() == signals)
    GPUWHY_RETURN_IF_ERROR(ReadAndShow(view));
  return {};
}

std::string TraceRun::TargetText() const {
  std::vector<pid_t> targets = recording_->Targets();
  if (targets.empty()) return "waiting for processes";
  const pid_t first = *std::min_element(targets.begin(), targets.end());
  const auto stat = ReadStat(first);
  std::string text =
      fmt::format("{} ({})", stat.ok() ? CleanText(stat.value().name, 40) : "ended", first);
  if (targets.size() > 1) text += fmt::format(" and {} more", targets.size() - 1);
  return text;
}

LiveState TraceRun::StateOf(SecondSummary second) const {
  return {.second = std::move(second),
          .elapsed_seconds = std::chrono::duration<double>(Clock::now() - start_).count(),
          .targets = TargetText(),
          .libraries = LibrariesText(recording_->libraries()),
          .database_bytes = BytesOf(database_)};
}

TraceOutcome TraceRun::Outcome() const {
  TraceOutcome outcome{.duration_seconds = std::chrono::duration<double>(end_ - start_).count(),
                       .event_count = recording_->event_count(),
                       .stored_count = recording_->stored_count(),
                       .command = {},
                       .command_pid = 0,
                       .command_status = {}};
  if (child_ == nullptr) return outcome;
  outcome.command = child_->name();
  outcome.command_pid = child_->pid();
  outcome.command_status = child_->Ended();
  return outcome;
}

}  // namespace gpuwhy
