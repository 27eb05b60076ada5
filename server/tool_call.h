// SPDX-License-Identifier: Apache-2.0
// Runs one tool on one of the open traces: validates the arguments, borrows a handle, adds what
// every answer must carry (losses). The one way in for the command line and for every protocol. Any
// thread.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "server/trace_set.h"
#include "tools/json.h"
#include "tools/tool.h"

namespace gpuwhy {

struct ToolCall {
  const Json& arguments;  // an object or null; may hold trace and format beside the tool's own
  std::stop_token stop = {};
  std::function<void(double fraction, std::string_view doing)> progress = {};
};

// The tool's parameters with trace (for tools that need one) and format.
std::vector<Param> AllParams(const Tool& tool);

Result<Answer> RunTool(const Tool& tool, TraceSet& traces, const ToolCall& call);

}  // namespace gpuwhy
