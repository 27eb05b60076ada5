// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.h"

namespace gpuwhy {
namespace {

std::string Quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// `prefix` are words before the program: settings of env, another program that runs it.
ProgramResult Run(const std::vector<std::string>& prefix,
                  const std::vector<std::string>& arguments) {
  const TempDir dir;
  std::string command = "env -u GPUWHY_DB -u XDG_DATA_HOME -u SUDO_UID HOME=/nonexistent";
  for (const std::string& word : prefix)
    command += " " + Quote(word);
  command += " " + Quote(GPUWHY_PROGRAM);
  for (const std::string& argument : arguments)
    command += " " + Quote(argument);
  command += " >" + Quote(dir.File("out")) + " 2>" + Quote(dir.File("err")) + " </dev/null";
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = ReadAll(dir.File("out")),
          .err = ReadAll(dir.File("err"))};
}

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment) {
  return Run(environment, arguments);
}

ProgramResult RunProgramWithout(const std::vector<std::string>& capabilities,
                                const std::vector<std::string>& arguments) {
  if (geteuid() != 0) return Run({}, arguments);
  std::string dropped;
  for (const std::string& capability : capabilities)
    dropped += (dropped.empty() ? "-" : ",-") + capability;
  // The sanitizers' search for leaks attaches to the process, which takes rights of its own.
  return Run({"ASAN_OPTIONS=detect_leaks=0", "setpriv", "--bounding-set", dropped}, arguments);
}

}  // namespace gpuwhy
