// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/ebpf/python_run.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/catch.h"
#include "tests/support/shell_output.h"

extern char** environ;

namespace gpuwhy {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

std::string Print(const Command& command, const std::string& expression) {
  return ShellOutput(
      fmt::format("{} -c 'import sys; print({})'", fmt::join(command, " "), expression));
}

int64_t RunToEnd(const Command& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  int status = -1;
  if (posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return -1;
  waitpid(pid, &status, 0);
  return status;
}

struct Site {
  int64_t parent = 0;  // 0: none
  std::string text;    // of a Python frame
};

std::map<int64_t, Site> ReadSites(const RecordedRun& run) {
  std::map<int64_t, Site> sites;
  REQUIRE(run.db
              ->Query("SELECT c.id, coalesce(c.parent_id, 0), iif(f.kind = 'python', "
                      "f.function_name || ':' || f.line, '') "
                      "FROM callsite c JOIN frame f ON f.id = c.frame_id",
                      {},
                      [&](const Row& row) {
                        sites[row.Int(0)] = {row.Int(1), std::string(row.Text(2))};
                      })
              .ok());
  return sites;
}

std::string StackOf(const std::map<int64_t, Site>& sites, int64_t callsite) {
  std::string stack;
  for (int64_t at = callsite; at != 0; at = sites.at(at).parent) {
    const std::string& text = sites.at(at).text;
    if (!text.empty()) stack += (stack.empty() ? "" : " < ") + text;
  }
  return stack;
}

}  // namespace

std::vector<Command> Interpreters() {
  std::vector<std::string> candidates = {"python3", "python3.11", "python3.12", "python3.13",
                                         "python3.14"};
  if (const char* more = std::getenv("GPUWHY_TEST_PYTHONS")) {
    for (const std::string& command : Split(more, ':'))
      candidates.push_back(command);
  }
  std::vector<Command> usable;
  std::set<std::string> known;
  for (const std::string& candidate : candidates) {
    const Command command = Split(candidate, ' ');
    const std::string is_known_version =
        Print(command, "(3, 11) <= sys.version_info < (3, 15) and sys.executable");
    const bool is_new = known.insert(is_known_version + VersionOf(command)).second;
    if (is_new && is_known_version.starts_with('/')) usable.push_back(command);
  }
  return usable;
}

std::string VersionOf(const Command& interpreter) {
  return Print(interpreter, "sys.version.split()[0], sys.executable");
}

int Script::LineOf(const std::string& part) const {
  const size_t at = text_.find(part);
  REQUIRE(at != std::string::npos);
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(at);
  return 1 + static_cast<int>(std::count(text_.begin(), end, '\n'));
}

std::string Script::Frame(const std::string& function, const std::string& line_text) const {
  return fmt::format("{}:{}", function, LineOf(line_text));
}

RecordedRun RecordScript(const Command& interpreter, const Script& script, RecordingSetup setup) {
  const TempDir dir;
  std::ofstream(dir.File("script.py")) << script.text();
  Command command = interpreter;
  command.push_back(dir.File("script.py"));
  RecordedRun run = Record([&] { return Numbers{RunToEnd(command)}; }, std::move(setup));
  REQUIRE(run.numbers == Numbers{0});
  return run;
}

std::map<std::string, int64_t> PythonStacks(const RecordedRun& run) {
  const std::map<int64_t, Site> sites = ReadSites(run);
  std::map<std::string, int64_t> stacks;
  REQUIRE(run.db
              ->Query("SELECT callsite_id FROM sample", {},
                      [&](const Row& row) { ++stacks[StackOf(sites, row.Int(0))]; })
              .ok());
  return stacks;
}

std::string HottestWith(const std::map<std::string, int64_t>& stacks, const std::string& part) {
  std::string hottest;
  int64_t count = 0;
  for (const auto& [stack, sample_count] : stacks) {
    if (sample_count <= count || stack.find(part) == std::string::npos) continue;
    hottest = stack;
    count = sample_count;
  }
  return hottest;
}

std::string PythonStackOf(const RecordedRun& run, int64_t callsite) {
  return StackOf(ReadSites(run), callsite);
}

}  // namespace gpuwhy
