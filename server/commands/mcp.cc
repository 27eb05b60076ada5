// SPDX-License-Identifier: Apache-2.0
// gpuwhy mcp: serves the tools to one AI assistant over standard input and output.
#include "server/commands/command.h"
#include "server/commands/output.h"
#include "server/mcp/serve.h"

namespace gpuwhy {
namespace {

int Run(const std::vector<std::string>& databases) {
  TraceSet traces;
  for (const std::string& database : databases)
    traces.Add(database);
  if (databases.empty()) traces.Add(DefaultDatabase());
  return ServeStdio({.traces = &traces,
                     .tools = tools::AllTools(),
                     .detectors = tools::detectors::AllDetectors()});
}

}  // namespace

void AddMcp(CLI::App& app, RunFunction& run) {
  auto databases = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("mcp", "Serve the tools to an AI assistant over stdio (MCP)");
  command->add_option(
      "--db", *databases,
      "Trace database, or any file that gpuwhy import reads; may be given several times");
  command->footer("Example: gpuwhy mcp --db trace.db");
  command->callback([&run, databases] { run = [databases] { return Run(*databases); }; });
}

}  // namespace gpuwhy
