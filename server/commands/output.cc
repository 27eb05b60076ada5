// SPDX-License-Identifier: Apache-2.0
#include "server/commands/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "server/commands/command.h"
#include "server/tool_call.h"
#include "tools/tool.h"

namespace gpuwhy {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultDatabase() {
  if (std::string path = Environment("GPUWHY_DB"); !path.empty()) return path;
  std::string data = Environment("XDG_DATA_HOME");
  if (data.empty()) data = Environment("HOME") + "/.local/share";
  return data + "/gpuwhy/trace.db";
}

Result<Answer> CallTool(TraceSet& traces, std::string_view tool_name, const Json& arguments) {
  const Tool* tool = tools::FindTool(tool_name);
  if (tool == nullptr) return Internal(fmt::format("this program has no tool {}", tool_name));
  return RunTool(*tool, traces, {.arguments = arguments});
}

TextStyle StyleOfStdout() {
  TextStyle style;
  if (isatty(STDOUT_FILENO) == 0) return style;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  style.is_compact = false;
  style.has_color = Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
  return style;
}

int PrintError(const Error& error) {
  fmt::print(stderr, "gpuwhy: {}\n", error.message);
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
