// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/proc_status.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "collectors/process/number_text.h"
#include "collectors/process/process_list.h"
#include "collectors/process/read_file.h"

namespace gpuwhy {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int kFieldsToParent = 1;             // state; ppid is field 4
constexpr int kFieldsToStart = 17;             // ppid to itrealvalue; starttime is field 22
constexpr std::string_view kNsPid = "NSpid:";  // outermost first
constexpr std::string_view kTgid = "Tgid:";

bool SkipFields(std::string_view& text, int count) {
  for (; count > 0; --count) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) return false;
    text.remove_prefix(space + 1);
  }
  return true;
}

std::string_view WithoutNewline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// The last number of a line of /proc/PID/status; the pid itself without such a line.
Result<pid_t> ReadStatusPid(pid_t pid, std::string_view key) {
  GPUWHY_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(ProcPath(pid, "status")));
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = TakeLine(rest);
    if (!line.starts_with(key)) continue;
    line.remove_prefix(line.find_last_of(" \t") + 1);
    if (const auto number = TakeNumber<pid_t>(line)) return *number;
  }
  return pid;
}

}  // namespace

std::optional<ProcessStat> ParseStat(std::string_view text, int64_t ticks_per_second) {
  const size_t open = text.find('(');
  const size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  ProcessStat stat{.name = std::string(text.substr(open + 1, close - open - 1))};
  text.remove_prefix(close + 2);
  if (!SkipFields(text, kFieldsToParent)) return {};
  std::string_view parent_text = text;
  const auto parent = TakeNumber<pid_t>(parent_text);
  if (!parent || !SkipFields(text, kFieldsToStart + 1)) return {};
  const auto start_ticks = TakeNumber<int64_t>(text);
  if (!start_ticks || *start_ticks < 0 || *start_ticks > INT64_MAX / kNsPerSecond) return {};
  stat.parent_pid = *parent;
  stat.start_ns = *start_ticks * (kNsPerSecond / ticks_per_second);
  return stat;
}

Result<ProcessStat> ReadStat(pid_t pid) {
  const std::string path = ProcPath(pid, "stat");
  GPUWHY_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  std::optional<ProcessStat> stat = ParseStat(text, sysconf(_SC_CLK_TCK));
  if (!stat) return CorruptInput(fmt::format("{} has a form that is not known here", path));
  return *std::move(stat);
}

Result<std::vector<ThreadName>> ReadThreads(pid_t pid) {
  const std::string directory = ProcPath(pid, "task");
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<pid_t> tids, ListNumbers(directory));
  std::vector<ThreadName> threads;
  for (const pid_t tid : tids) {
    const Result<std::string> name = ReadWholeFile(fmt::format("{}/{}/comm", directory, tid));
    if (name.ok()) threads.push_back({tid, std::string(WithoutNewline(name.value()))});
  }
  return threads;
}

Result<uint64_t> ReadMountNamespace(pid_t pid) {
  const std::string path = ProcPath(pid, "ns/mnt");
  struct stat state {};
  if (stat(path.c_str(), &state) == 0) return state.st_ino;
  if (errno == ENOENT) return NotFound(fmt::format("no process {}", pid));
  return Unavailable(fmt::format("cannot look at {}; run as root", path));
}

// A kernel without pid namespaces has no such line.
Result<pid_t> ReadInnermostPid(pid_t pid) {
  return ReadStatusPid(pid, kNsPid);
}

Result<pid_t> ReadProcessOfThread(pid_t tid) {
  return ReadStatusPid(tid, kTgid);
}

}  // namespace gpuwhy
