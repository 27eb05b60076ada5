// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/base/text.h"
#include "schema/embedded.h"
#include "server/mcp/bindings.h"
#include "server/mcp/uri.h"
#include "server/tool_call.h"

namespace gpuwhy::mcp {
namespace {

constexpr std::string_view kPlainText = "text/plain";
constexpr size_t kMaxUriShown = 200;

Json Entry(std::string_view uri, std::string_view name, std::string_view description) {
  return {{"uri", uri}, {"name", name}, {"description", description}, {"mimeType", kPlainText}};
}

Json Template(std::string_view uri, std::string_view name, std::string_view description) {
  return {
      {"uriTemplate", uri}, {"name", name}, {"description", description}, {"mimeType", kPlainText}};
}

Json Contents(const std::string& uri, std::string text) {
  Json content = {{"uri", uri}, {"mimeType", kPlainText}, {"text", std::move(text)}};
  return {{"contents", Json::array({std::move(content)})}};
}

std::string SchemaText() {
  std::string text = "-- Tables and views of a gpuwhy trace database. Start from the views.\n\n";
  for (const auto& files : {EmbeddedViews(), EmbeddedTables()}) {
    for (const EmbeddedFile& file : files)
      text.append(StatementText(file)).append(";\n\n");
  }
  return text;
}

std::string DetectorsText(const McpOptions& options) {
  std::string text = "The causes that get_findings looks for, and the question of each.\n";
  for (const Detector& detector : options.detectors)
    text += fmt::format("{}: {}\n", detector.name, detector.question);
  return text;
}

// The answer reduced to the entry with this id; empty when there is none.
std::optional<Answer> OnlyItem(const Answer& answer, const std::string& id) {
  for (const Section& section : answer.sections) {
    const auto* items = std::get_if<Items>(&section);
    if (items == nullptr) continue;
    for (const Item& item : items->items) {
      if (item.id != id) continue;
      return Answer{.headline = item.title,
                    .sections = {Items{.key = items->key, .items = {item}}},
                    .notes = answer.notes,
                    .origin_ns = answer.origin_ns};
    }
  }
  return std::nullopt;
}

Json ArgumentsFor(const Tool& tool, const TraceUri& uri) {
  Json arguments = {{"trace", uri.trace}};
  const auto limit = std::find_if(tool.params.begin(), tool.params.end(),
                                  [](const Param& param) { return param.name == "limit"; });
  const bool wants_all = !uri.id.empty() && limit != tool.params.end() && limit->max.has_value();
  if (wants_all) arguments["limit"] = *limit->max;
  return arguments;
}

std::string_view ToolBehind(const TraceUri& uri) {
  if (uri.part == "overview" && uri.id.empty()) return "get_trace_overview";
  if (uri.part == "findings" && uri.id.empty()) return "get_findings";
  if (uri.part == "finding" && !uri.id.empty()) return "get_findings";
  return {};
}

Result<std::string> ReadTrace(const McpOptions& options, const TraceUri& uri,
                              const MethodCall& call) {
  const Tool* tool = FindTool(options.tools, ToolBehind(uri));
  if (tool == nullptr) return NotFound("there is no such resource");
  const Json arguments = ArgumentsFor(*tool, uri);
  GPUWHY_ASSIGN_OR_RETURN(
      const Answer answer,
      RunTool(*tool, *options.traces,
              {.arguments = arguments, .stop = call.stop, .progress = call.progress}));
  if (uri.id.empty()) return CutAnswer(RenderText(answer));
  const auto only = OnlyItem(answer, uri.id);
  if (!only) return NotFound(fmt::format("there is no finding {}", CleanText(uri.id, 64)));
  return CutAnswer(RenderText(*only));
}

RpcError ReadError(const Error& error, const std::string& uri, bool is_modern) {
  const bool is_ours = error.code == ErrorCode::kInternal || error.code == ErrorCode::kCancelled;
  const int not_found = is_modern ? kInvalidParams : kLegacyResourceNotFound;
  return {.code = is_ours ? kInternalError : not_found,
          .message = StripControls(error.message),
          .data = {{"uri", CleanText(uri, kMaxUriShown)}}};
}

}  // namespace

Outcome ListResources(const McpOptions& options, const MethodCall& call) {
  if (auto error = CheckCursor(call.params)) return *std::move(error);
  Json resources = Json::array(
      {Entry(kSchemaUri, "schema", "Tables and views of a trace, for run_sql, with units."),
       Entry(kDetectorsUri, "findings", "The causes that get_findings looks for.")});
  for (const std::string& trace : options.traces->Names()) {
    resources.push_back(Entry(TraceUriText(trace, "overview"), trace + " overview",
                              "What this trace holds and where the time went."));
    resources.push_back(Entry(TraceUriText(trace, "findings"), trace + " findings",
                              "Why the GPU waits in this trace, by time lost."));
  }
  return Json{{"resources", std::move(resources)}};
}

Json ListResourceTemplates() {
  return {{"resourceTemplates",
           Json::array(
               {Template(kOverviewTemplate, "trace overview", "Overview of a trace."),
                Template(kFindingsTemplate, "trace findings", "Findings of a trace."),
                Template(kFindingTemplate, "finding", "One finding by its id, with evidence.")})}};
}

Outcome ReadResource(const McpOptions& options, const MethodCall& call) {
  const std::string* uri = StringMember(call.params, "uri");
  if (uri == nullptr) {
    return RpcError{.code = kInvalidParams, .message = "params.uri must be a string"};
  }
  if (*uri == kSchemaUri) return Contents(*uri, SchemaText());
  if (*uri == kDetectorsUri) return Contents(*uri, DetectorsText(options));
  const auto parsed = ParseTraceUri(*uri);
  auto text = parsed ? ReadTrace(options, *parsed, call)
                     : Result<std::string>(NotFound("there is no such resource"));
  if (!text.ok()) return ReadError(text.error(), *uri, call.is_modern);
  return Contents(*uri, std::move(text).value());
}

}  // namespace gpuwhy::mcp
