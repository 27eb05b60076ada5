// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "server/commands/command.h"

namespace {

int Run(int argc, char** argv) {
  CLI::App app("gpuwhy: why is my GPU waiting?");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Print the help of every command");
  gpuwhy::RunFunction run;
  gpuwhy::AddExplain(app, run);
  gpuwhy::AddStats(app, run);
  gpuwhy::AddQuery(app, run);
  gpuwhy::AddTrace(app, run);
  gpuwhy::AddImport(app, run);
  gpuwhy::AddMcp(app, run);
  gpuwhy::AddCheck(app, run);
  gpuwhy::AddVersion(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? gpuwhy::kExitFine : gpuwhy::kExitUsage;
  }
  const int code = run();
  // A full disk or a closed pipe must not look like success.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::perror("gpuwhy: cannot write the answer");
  return gpuwhy::kExitUnavailable;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {  // memory, threads: what no Result foresees
    std::fprintf(stderr, "gpuwhy: stopped by %s\n", error.what());
    return gpuwhy::kExitUnavailable;
  }
}
