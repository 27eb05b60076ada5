// SPDX-License-Identifier: Apache-2.0
#include "tests/support/built_trace.h"

#include "tests/support/required.h"
#include "tools/analysis/facts_cache.h"
#include "tools/tool.h"

namespace gpuwhy {
int64_t TraceBuilder::Thread(int64_t pid, int64_t tid) {
  return recorder_.ThreadOf(recorder_.ProcessOf(pid), tid);
}

int64_t TraceBuilder::Call(int64_t thread, std::string_view name, int64_t start_ns,
                           int64_t duration_ns) {
  return recorder_.Add(ApiCallRow{.start_ns = kTraceStart + start_ns,
                                  .duration_ns = duration_ns,
                                  .thread_id = thread,
                                  .name_id = recorder_.InternName(name)});
}

int64_t TraceBuilder::Range(int64_t thread, std::string_view name, int64_t start_ns,
                            int64_t duration_ns) {
  return recorder_.Add(RangeRow{.start_ns = kTraceStart + start_ns,
                                .duration_ns = duration_ns,
                                .thread_id = thread,
                                .name_id = recorder_.InternName(name),
                                .category = "cpu_op"});
}

BuiltTrace::BuiltTrace(const std::function<void(TraceBuilder&)>& fill, CaptureRow capture)
    : writer_(std::make_unique<TraceDb>(Required(TraceDb::CreateInMemory()))) {
  const auto recorder = Required(Recorder::Start(*writer_, capture));
  TraceBuilder builder(*recorder);
  fill(builder);
  const Status finished = recorder->Finish();
  GPUWHY_CHECK(finished.ok());
  GPUWHY_CHECK(writer_->CreateIndexes().ok());
  reader_ = std::make_unique<TraceDb>(Required(TraceDb::OpenReadOnly(writer_->uri())));
}

Result<Answer> RunToolOn(const TraceDb& db, std::string_view tool, const Json& arguments,
                         std::stop_token stop) {
  const Tool* found = tools::FindTool(tool);
  GPUWHY_CHECK(found != nullptr);
  GPUWHY_ASSIGN_OR_RETURN(const Params params, Params::Parse(found->params, arguments));
  FactsCache facts;
  return found->run({.db = &db, .facts = &facts, .params = params, .stop = std::move(stop)});
}

Result<Answer> BuiltTrace::Run(std::string_view tool, const Json& arguments) const {
  return RunToolOn(db(), tool, arguments);
}

Answer BuiltTrace::Ask(std::string_view tool, const Json& arguments) const {
  return Required(Run(tool, arguments));
}

Json BuiltTrace::AskJson(std::string_view tool, const Json& arguments) const {
  return Json::parse(RenderJson(Ask(tool, arguments)));
}

}  // namespace gpuwhy
