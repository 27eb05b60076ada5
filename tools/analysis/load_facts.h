// SPDX-License-Identifier: Apache-2.0
// TraceFacts for a tool call, from its parameters since, until, process and gpu as far as the tool
// declares them.
#pragma once

#include <memory>

#include "schema/base/result.h"
#include "tools/analysis/trace_facts.h"
#include "tools/tool.h"

namespace gpuwhy {

Result<std::unique_ptr<TraceFacts>> LoadFacts(const ToolContext& context);

// What every answer must add: losses of data, selective storage, what the view cannot see.
std::vector<std::string> StandardNotes(const TraceFacts& facts);

}  // namespace gpuwhy
