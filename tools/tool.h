// SPDX-License-Identifier: Apache-2.0
// A tool answers one question about one trace. Each is a value made by Define() in tools/<name>.cc;
// the registry is generated. Tools only read. They run on any thread, each call with its own
// handle.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/answer.h"
#include "tools/params.h"

namespace gpuwhy {

class FactsCache;

struct ToolContext {
  // Both set unless the tool declares needs_trace = false.
  const TraceDb* db = nullptr;
  FactsCache* facts = nullptr;  // belongs to the handle
  const Params& params;
  std::stop_token stop;  // the handle already ends its queries on it; loops of our own must look
  std::function<void(double fraction, std::string_view doing)> progress;  // may be empty
};

struct Tool {
  std::string_view name;   // equals the file name; verb_noun
  std::string_view title;  // for people, "GPU idle causes"
  std::string_view
      description;  // 40-300 characters, first word a verb; what it answers, when to use it
  std::vector<Param> params;  // without trace and format, which the server adds
  bool needs_trace = true;
  Result<Answer> (*run)(const ToolContext& context) = nullptr;
};

}  // namespace gpuwhy

namespace gpuwhy::tools {
const std::vector<Tool>& AllTools();
const Tool* FindTool(std::string_view name);
}  // namespace gpuwhy::tools
