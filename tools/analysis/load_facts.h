// SPDX-License-Identifier: Apache-2.0
// TraceFacts for a tool call, from its parameters since, until, process and gpu as far as the tool
// declares them.
#pragma once

#include <string>
#include <vector>

#include "schema/base/result.h"
#include "tools/analysis/trace_facts.h"
#include "tools/tool.h"

namespace gpuwhy {

// Valid for the call.
Result<const TraceFacts*> LoadFacts(const ToolContext& context);

// What limits an answer: what the view cannot see, selective storage. Losses are added to every
// answer by the caller of the tool.
std::vector<std::string> StandardNotes(const TraceFacts& facts);

}  // namespace gpuwhy
