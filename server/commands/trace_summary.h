// SPDX-License-Identifier: Apache-2.0
// What a finished recording tells at the end: what was recorded and lost, and what the tools find
// in it, as gpuwhy explain would. One thread.
#pragma once

#include <string>

#include "schema/base/result.h"
#include "server/commands/trace_run.h"
#include "tools/answer.h"

namespace gpuwhy {

// The recording is fine whatever this returns: an error says only why it cannot be explained.
Result<Answer> SummarizeTrace(const std::string& database, const TraceOutcome& outcome);

}  // namespace gpuwhy
