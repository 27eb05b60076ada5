// SPDX-License-Identifier: Apache-2.0
// Runs one tool on one open trace: checks the arguments, borrows a handle, runs. Knows no protocol.
// Any thread.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "server/trace_set.h"
#include "tools/tool.h"

namespace gpuwhy {

struct ToolRequest {
  const Json& arguments;  // an object or null
  std::stop_token stop;
  std::function<void(double fraction, std::string_view doing)> progress;  // may be empty
};

struct ToolReply {
  Answer answer;
  bool wants_json = false;
};

const Tool* FindTool(std::span<const Tool> tools, std::string_view name);

// The parameters a client sees: those of the tool, and what the server adds.
std::vector<Param> ServedParams(const Tool& tool);

Result<ToolReply> RunTool(TraceSet& traces, const Tool& tool, const ToolRequest& request);

}  // namespace gpuwhy
