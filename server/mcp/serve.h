// SPDX-License-Identifier: Apache-2.0
// The MCP server as a program calls it: serves one client over a pair of pipes until the client
// closes its end or a signal asks to stop. Nothing is opened or built before the first request that
// needs it. While it runs, descriptor 1 is standard error, so that nothing but the protocol can
// reach the client.
#pragma once

#include <unistd.h>

#include <chrono>
#include <span>

#include "server/trace_set.h"
#include "tools/detector.h"
#include "tools/tool.h"

namespace gpuwhy {

struct McpOptions {
  TraceSet* traces = nullptr;           // not owned; outlives the call
  std::span<const Tool> tools;          // tools::AllTools() in the program
  std::span<const Detector> detectors;  // tools::detectors::AllDetectors() in the program
  int input_fd = STDIN_FILENO;
  int output_fd = STDOUT_FILENO;
  std::chrono::milliseconds call_limit{30'000};  // a call that takes longer is stopped
};

// Returns the exit status of the program: 0 also when the client went away.
int ServeStdio(const McpOptions& options);

}  // namespace gpuwhy
