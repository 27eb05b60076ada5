// SPDX-License-Identifier: Apache-2.0
#include "server/commands/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "schema/base/text.h"
#include "server/commands/command.h"
#include "server/commands/progress_bar.h"
#include "server/commands/sudo_user.h"
#include "server/tool_call.h"
#include "tools/tool.h"

namespace gpuwhy {
namespace {

constexpr size_t kMessageLimit = 2000;

}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string DefaultDatabase() {
  if (std::string path = Environment("GPUWHY_DB"); !path.empty()) return path;
  std::string data = Environment("XDG_DATA_HOME");
  const auto user = FindSudoUser();
  const std::string home = user && !user->home.empty() ? user->home : Environment("HOME");
  if (data.empty()) data = home + "/.local/share";
  return data + "/gpuwhy/trace.db";
}

Status OpenTrace(TraceSet& traces, const std::string& database) {
  std::error_code failure;
  if (database.empty() && !std::filesystem::exists(DefaultDatabase(), failure)) {
    return NotFound(
        fmt::format("no trace was named and there is none at {}: name one, or import a file with "
                    "gpuwhy import FILE",
                    DefaultDatabase()));
  }
  traces.Add(database.empty() ? DefaultDatabase() : database);
  return {};
}

Json DeclaredArguments(std::string_view tool_name, const Json& wanted) {
  Json arguments = Json::object();
  const Tool* tool = tools::FindTool(tool_name);
  if (tool == nullptr) return arguments;
  for (const Param& param : tool->params) {
    const auto it = wanted.find(std::string(param.name));
    if (it != wanted.end()) arguments[it.key()] = *it;
  }
  return arguments;
}

Result<Answer> CallTool(TraceSet& traces, std::string_view tool_name, const Json& arguments) {
  const Tool* tool = tools::FindTool(tool_name);
  if (tool == nullptr) return Internal(fmt::format("this program has no tool {}", tool_name));
  ProgressBar bar("reading");
  return RunTool(*tool, traces,
                 {.arguments = arguments, .progress = [&](double fraction, std::string_view) {
                    bar.UpdateShare(fraction);
                  }});
}

TextStyle StyleOfStdout() {
  TextStyle style{.is_compact = false};
  if (isatty(STDOUT_FILENO) == 0) return style;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  style.has_bars = true;
  style.has_color = Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
  return style;
}

int PrintError(const Error& error) {
  fmt::print(stderr, "gpuwhy: {}\n", CleanText(error.message, kMessageLimit));
  return error.code == ErrorCode::kInvalidArgument ? kExitUsage : kExitUnavailable;
}

void PrintAnswers(const std::vector<std::pair<std::string, Answer>>& answers, bool as_json) {
  std::string text;
  if (as_json) {
    Json all = Json::object();
    for (const auto& [name, answer] : answers) {
      all[name] = Json::parse(RenderJson(answer), nullptr, false);
    }
    text = DumpJson(answers.size() == 1 ? all.front() : all, 2) + "\n";
  } else {
    for (const auto& [name, answer] : answers) {
      if (!text.empty()) text += "\n";
      text += RenderText(answer, StyleOfStdout());
    }
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace gpuwhy
