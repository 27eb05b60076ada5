// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/tool_runner.h"

#include <algorithm>

namespace gpuwhy {
namespace {

constexpr double kReadingShare = 0.5;  // of the progress, when the trace has to be converted first

TraceSet::Progress ReadingProgress(const ToolRequest& request) {
  if (!request.progress) return {};
  return [&request](uint64_t done_bytes, uint64_t total_bytes) {
    const double fraction = total_bytes == 0 ? 0
                                             : static_cast<double>(done_bytes) /
                                                   static_cast<double>(total_bytes);
    request.progress(fraction * kReadingShare, "reading the trace");
  };
}

std::function<void(double, std::string_view)> ToolProgress(const ToolRequest& request) {
  if (!request.progress) return {};
  return [&request](double fraction, std::string_view doing) {
    request.progress(kReadingShare + fraction * (1 - kReadingShare), doing);
  };
}

}  // namespace

const Tool* FindTool(std::span<const Tool> tools, std::string_view name) {
  const auto it = std::find_if(tools.begin(), tools.end(),
                               [&](const Tool& tool) { return tool.name == name; });
  return it == tools.end() ? nullptr : &*it;
}

std::vector<Param> ServedParams(const Tool& tool) {
  std::vector<Param> params = tool.params;
  if (tool.needs_trace) params.push_back(TraceParam());
  params.push_back(FormatParam());
  return params;
}

Result<ToolReply> RunTool(TraceSet& traces, const Tool& tool, const ToolRequest& request) {
  GPUWHY_ASSIGN_OR_RETURN(const Params params, Params::Parse(ServedParams(tool), request.arguments));
  ToolReply reply{.wants_json = params.Text("format") == "json"};
  ToolContext context{
      .params = params, .stop = request.stop, .progress = ToolProgress(request)};
  if (!tool.needs_trace) {
    GPUWHY_ASSIGN_OR_RETURN(reply.answer, tool.run(context));
    return reply;
  }
  GPUWHY_ASSIGN_OR_RETURN(
      const TraceSet::Lease lease,
      traces.Borrow(params.Text("trace"), request.stop, ReadingProgress(request)));
  context.db = &lease.db();
  GPUWHY_ASSIGN_OR_RETURN(reply.answer, tool.run(context));
  return reply;
}

}  // namespace gpuwhy
