// SPDX-License-Identifier: Apache-2.0
#include "server/tool_call.h"

#include <fmt/format.h>

#include <utility>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

// Every answer from a trace says what the trace lacks.
Status AddLosses(const TraceDb& db, Answer& answer) {
  return db.Query(
      "SELECT name, sum(event_count), min(description) FROM loss WHERE severity = 'data_loss' "
      "AND event_count > 0 GROUP BY name ORDER BY 2 DESC LIMIT 3",
      {}, [&](const Row& row) {
        answer.notes.push_back(fmt::format("lost: {} x {} ({})", FormatCount(row.Int(1)),
                                           CleanText(row.Text(0)), CleanText(row.Text(2), 160)));
      });
}

TraceSet::Progress ImportProgress(const ToolCall& call) {
  if (!call.progress) return {};
  return [&call](uint64_t done_bytes, uint64_t total_bytes) {
    const double total = total_bytes == 0 ? 1 : static_cast<double>(total_bytes);
    call.progress(static_cast<double>(done_bytes) / total, "reading the trace");
  };
}

}  // namespace

std::vector<Param> AllParams(const Tool& tool) {
  std::vector<Param> params = tool.params;
  if (tool.needs_trace) params.push_back(TraceParam());
  params.push_back(FormatParam());
  return params;
}

Result<Answer> RunTool(const Tool& tool, TraceSet& traces, const ToolCall& call) {
  GPUWHY_ASSIGN_OR_RETURN(const Params params, Params::Parse(AllParams(tool), call.arguments));
  ToolContext context{.params = params, .stop = call.stop, .progress = call.progress};
  if (!tool.needs_trace) return tool.run(context);
  GPUWHY_ASSIGN_OR_RETURN(const TraceSet::Lease lease,
                          traces.Borrow(params.Text("trace"), call.stop, ImportProgress(call)));
  context.db = &lease.db();
  context.facts = &lease.facts();
  GPUWHY_ASSIGN_OR_RETURN(Answer answer, tool.run(context));
  GPUWHY_RETURN_IF_ERROR(AddLosses(lease.db(), answer));
  return answer;
}

}  // namespace gpuwhy
