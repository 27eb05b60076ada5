// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_tools.h"

#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace gpuwhy {

std::atomic<int> waiting_call_count = 0;
std::atomic<int> stopped_call_count = 0;

namespace {

Result<Answer> EchoText(const ToolContext& context) {
  return Answer{.headline = context.params.Text("text")};
}

Result<Answer> WaitStopped(const ToolContext& context) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  ++waiting_call_count;
  never.wait(lock, context.stop, [] { return false; });
  --waiting_call_count;
  ++stopped_call_count;
  return Error{ErrorCode::kCancelled, "stopped"};
}

Result<Answer> FailCall(const ToolContext& context) {
  const std::string kind = context.params.Text("kind");
  if (kind == "not_found") return NotFound("there is no process 7");
  if (kind == "corrupt") return CorruptInput("the trace is damaged");
  if (kind == "unavailable") return Unavailable("no kernel rows");
  if (kind == "throw") throw std::runtime_error("thrown");
  if (kind == "long") return InvalidArgument(std::string(100'000, 'x'));
  return Internal("our bug");
}

Result<Answer> WriteLines(const ToolContext& context) {
  Table table{.key = "lines", .columns = {{.key = "line", .label = "line"}}};
  for (int64_t i = 0; i < context.params.Int("count"); ++i)
    table.rows.push_back({std::string(99, 'a')});
  return Answer{.headline = "lines", .sections = {std::move(table)}};
}

Result<Answer> CountProcesses(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const int64_t count,
                          context.db->QueryInt("SELECT count(*) FROM process"));
  return Answer{.headline = std::to_string(count) + " processes"};
}

Result<Answer> ReportProgress(const ToolContext& context) {
  for (const double fraction : {0.0, 0.5, 0.25, 1.0}) {
    if (context.progress) context.progress(fraction, "working");
  }
  return Answer{.headline = "done"};
}

Result<Answer> GetFindings(const ToolContext& context) {
  Items items{.key = "findings"};
  for (int64_t i = 1; i <= context.params.Int("limit"); ++i) {
    items.items.push_back({.severity = "HIGH",
                           .id = "cause-" + std::to_string(i),
                           .title = "finding number " + std::to_string(i)});
  }
  return Answer{.headline = "findings", .sections = {std::move(items)}};
}

Result<Detection> FindNothing(const TraceFacts&) {
  return Detection{NoFinding{}};
}

}  // namespace

const std::vector<Tool>& FakeTools() {
  static const std::vector<Tool> all = {
      {.name = "echo_text",
       .title = "Echo",
       .description = "Echoes a text, to see that the server answers.",
       .params = {{.name = "text", .description = "The text.", .is_required = true}},
       .needs_trace = false,
       .run = &EchoText},
      {.name = "wait_stopped",
       .title = "Wait",
       .description = "Waits until the call is stopped, however long that takes.",
       .needs_trace = false,
       .run = &WaitStopped},
      {.name = "fail_call",
       .title = "Fail",
       .description = "Fails in the way that the parameter names.",
       .params = {{.name = "kind", .description = "How to fail."}},
       .needs_trace = false,
       .run = &FailCall},
      {.name = "write_lines",
       .title = "Lines",
       .description = "Writes as many lines of one hundred bytes as asked for.",
       .params = {LimitParam(10, 100'000),
                  {.name = "count",
                   .type = ParamType::kInteger,
                   .description = "Lines.",
                   .default_int = 1}},
       .needs_trace = false,
       .run = &WriteLines},
      {.name = "report_progress",
       .title = "Progress",
       .description = "Reports progress that goes up, down and up again.",
       .needs_trace = false,
       .run = &ReportProgress},
      {.name = "get_trace_overview",
       .title = "Overview",
       .description = "Counts the processes of the trace, as an overview would.",
       .run = &CountProcesses},
      {.name = "get_findings",
       .title = "Findings",
       .description = "Lists findings that are always the same, up to the limit.",
       .params = {LimitParam(2, 50)},
       .run = &GetFindings},
  };
  return all;
}

const std::vector<Detector>& FakeDetectors() {
  static const std::vector<Detector> all = {
      {.name = "gpu-starved", .question = "Does the GPU wait for its host?", .find = &FindNothing},
      {.name = "cpu-contention", .question = "Do threads wait for a core?", .find = &FindNothing},
  };
  return all;
}

}  // namespace gpuwhy
