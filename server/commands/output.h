// SPDX-License-Identifier: Apache-2.0
// What commands share: the default database, calling a tool, printing an answer for a terminal or a
// pipe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/base/result.h"
#include "server/trace_set.h"
#include "tools/answer.h"
#include "tools/json.h"

namespace gpuwhy {

// Empty when the variable is not set.
std::string Environment(const char* name);

// $GPUWHY_DB, else $XDG_DATA_HOME/gpuwhy/trace.db, else ~/.local/share/gpuwhy/trace.db;
// through sudo the home of the user who called it, so that both find the same.
std::string DefaultDatabase();

// Names the trace of a command; empty = the default database, which must be there.
Status OpenTrace(TraceSet& traces, const std::string& database);

// The entries of `wanted` that the tool has parameters for.
Json DeclaredArguments(std::string_view tool_name, const Json& wanted);

// Calls a tool on a trace of one file. `arguments` holds only what the tool declares.
Result<Answer> CallTool(TraceSet& traces, std::string_view tool_name, const Json& arguments);

// Aligned tables; colour, bars and width only on a terminal, no colour when NO_COLOR is set.
TextStyle StyleOfStdout();

// One sentence on standard error; returns the exit code for it.
int PrintError(const Error& error);

// Prints answers one after the other, or one JSON object with a key per tool.
void PrintAnswers(const std::vector<std::pair<std::string, Answer>>& answers, bool as_json);

}  // namespace gpuwhy
