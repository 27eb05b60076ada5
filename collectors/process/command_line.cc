// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/command_line.h"

#include "collectors/process/read_file.h"
#include "collectors/process/secret_names.h"
#include "collectors/process/secrets.h"

namespace gpuwhy {
namespace {

// "--token" or "-password", whose value is the next argument.
bool IsSecretOption(std::string_view argument) {
  return argument.starts_with('-') && argument.find('=') == std::string_view::npos &&
         IsSecretName(argument);
}

// curl -u name:password
bool IsUserOption(std::string_view argument) {
  return argument == "-u" || argument == "--user" || argument == "--proxy-user";
}

std::string RedactedValue(std::string_view option, const std::string& argument) {
  // "--auth --port 80": an option that takes no value.
  if (IsSecretOption(option) && !argument.starts_with("--")) return std::string(kRedacted);
  const size_t colon = argument.find(':');
  if (IsUserOption(option) && colon != std::string::npos) {
    return argument.substr(0, colon + 1).append(kRedacted);
  }
  return RedactText(argument);
}

}  // namespace

std::string RedactedCommandLine(const std::vector<std::string>& arguments) {
  std::string line;
  std::string_view before;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += RedactedValue(before, argument);
    before = argument;
  }
  return line;
}

std::vector<std::string> SplitArguments(std::string_view bytes) {
  std::vector<std::string> arguments;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\0');
    arguments.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return arguments;
}

Result<std::string> ReadRedactedCommandLine(pid_t pid) {
  GPUWHY_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(ProcPath(pid, "cmdline")));
  return RedactedCommandLine(SplitArguments(bytes));
}

}  // namespace gpuwhy
