// SPDX-License-Identifier: Apache-2.0
// completion/complete: values for the arguments of prompts and of resource templates - names of
// open traces, names of processes in one, ids of findings. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/mcp/method.h"
#include "server/mcp/serve.h"

namespace gpuwhy::mcp {

inline constexpr size_t kMaxCompletions = 100;  // what the protocol allows

// The candidates that match, best first: equal beginning, then contained, then letters in order;
// case does not matter.
std::vector<std::string> RankCompletions(std::vector<std::string> candidates,
                                         std::string_view typed);

Outcome Complete(const McpOptions& options, const MethodCall& call);

}  // namespace gpuwhy::mcp
