// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schema/base/text.h"
#include "server/mcp/completions.h"
#include "server/mcp/prompt_methods.h"
#include "server/mcp/resources.h"
#include "server/tool_call.h"

namespace gpuwhy::mcp {
namespace {

constexpr std::string_view kCut = "… cut: call again with a smaller limit or a narrower window\n";
constexpr int64_t kListTtlMs = 3'600'000;
constexpr CacheHint kForever{.ttl_ms = kListTtlMs, .is_public = true};
constexpr CacheHint kForThisProcess{.ttl_ms = 0, .is_public = false};

Json TextResult(std::string text, bool is_error) {
  Json content = {{"type", "text"}, {"text", std::move(text)}};
  Json result = {{"content", Json::array({std::move(content)})}};
  if (is_error) result["isError"] = true;
  return result;
}

Json ListTools(const McpOptions& options) {
  Json tools = Json::array();
  for (const Tool& tool : options.tools)
    tools.push_back(ToolDefinition(tool));
  return {{"tools", std::move(tools)}};
}

// A failure that the model can learn from is a result; only our own bug is an error of the call.
Outcome FailedCall(const McpOptions& options, const Tool& tool, const Error& error) {
  const std::string message = StripControls(error.message).substr(0, kMaxErrorBytes / 2);
  switch (error.code) {
    case ErrorCode::kInternal:
      return RpcError{.code = kInternalError, .message = message};
    case ErrorCode::kCancelled:
      return TextResult(fmt::format("{} was stopped after {} s: narrow it with since and until, or "
                                    "a smaller limit",
                                    tool.name, options.call_limit.count() / 1000),
                        true);
    case ErrorCode::kInvalidArgument:
      return TextResult(fmt::format("{}\nexample: {}", message, ExampleCall(tool)), true);
    case ErrorCode::kNotFound:
    case ErrorCode::kUnavailable:
    case ErrorCode::kCorruptInput:
      return TextResult(message, true);
  }
  return RpcError{.code = kInternalError, .message = message};
}

Outcome CallTool(const McpOptions& options, const MethodCall& call) {
  const std::string* name = StringMember(call.params, "name");
  if (name == nullptr) {
    return RpcError{.code = kInvalidParams, .message = "params.name must be the name of a tool"};
  }
  const Tool* tool = FindTool(options.tools, *name);
  if (tool == nullptr) {
    return RpcError{.code = kInvalidParams,
                    .message = fmt::format("there is no tool {}", CleanText(*name, 64))};
  }
  const auto found = call.params.find("arguments");
  const Json none;
  const Json& arguments = found == call.params.end() ? none : *found;
  const auto answer =
      RunTool(*tool, *options.traces,
              {.arguments = arguments, .stop = call.stop, .progress = call.progress});
  if (!answer.ok()) return FailedCall(options, *tool, answer.error());
  const std::string* format = arguments.is_object() ? StringMember(arguments, "format") : nullptr;
  const bool wants_json = format != nullptr && *format == "json";
  return TextResult(CutAnswer(wants_json ? RenderJson(answer.value()) : RenderText(answer.value())),
                    false);
}

Json ExampleValue(const Param& param) {
  if (param.type == ParamType::kBoolean) return true;
  if (param.type == ParamType::kInteger) return param.default_int.value_or(param.min.value_or(1));
  if (!param.choices.empty()) return param.choices.front();
  if (param.name == "since") return "-5m";
  if (param.name == "until") return "-1m";
  if (param.name == "process") return "python3";
  if (param.name == "sql") return "SELECT name, count(*) FROM api_calls GROUP BY name";
  return fmt::format("<{}>", param.name);
}

}  // namespace

const Tool* FindTool(std::span<const Tool> tools, std::string_view name) {
  const auto it =
      std::find_if(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.name == name; });
  return it == tools.end() ? nullptr : &*it;
}

std::string ExampleCall(const Tool& tool) {
  Json arguments = Json::object();
  for (const Param& param : tool.params) {
    const bool is_telling = param.name == "limit" || param.name == "since";
    if (param.is_required || is_telling) arguments[std::string(param.name)] = ExampleValue(param);
  }
  return fmt::format("{} {}", tool.name, DumpJson(arguments));
}

std::string CutAnswer(std::string text) {
  if (text.size() <= kMaxAnswerBytes) return text;
  size_t keep = text.rfind('\n', kMaxAnswerBytes - kCut.size() - 1);
  if (keep == std::string::npos) {  // one long line, as JSON is: cut between two characters
    keep = kMaxAnswerBytes - kCut.size() - 1;
    while ((static_cast<unsigned char>(text[keep]) & 0xC0U) == 0x80U)
      --keep;
  }
  text.resize(keep);
  return text + "\n" + std::string(kCut);
}

Json ToolDefinition(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", InputSchema(AllParams(tool))},
          {"annotations",
           {{"readOnlyHint", true},
            {"destructiveHint", false},
            {"idempotentHint", true},
            {"openWorldHint", false}}}};
}

std::vector<Method> BindMethods(const McpOptions& options) {
  using Kind = Method::Kind;
  return {
      {"tools/list", Kind::kStatic, true, kForever,
       [options](const MethodCall&) { return ListTools(options); }},
      {"tools/call",
       Kind::kLong,
       false,
       {},
       [options](const MethodCall& call) { return CallTool(options, call); }},
      {"prompts/list", Kind::kStatic, true, kForever,
       [](const MethodCall&) { return ListPrompts(); }},
      {"prompts/get", Kind::kQuick, false, {}, &GetPrompt},
      {"resources/list", Kind::kQuick, true, kForThisProcess,
       [options](const MethodCall& call) { return ListResources(options, call); }},
      {"resources/templates/list", Kind::kStatic, true, kForever,
       [](const MethodCall&) { return ListResourceTemplates(); }},
      {"resources/read", Kind::kLong, true, kForThisProcess,
       [options](const MethodCall& call) { return ReadResource(options, call); }},
      {"completion/complete",
       Kind::kLong,
       false,
       {},
       [options](const MethodCall& call) { return Complete(options, call); }},
  };
}

}  // namespace gpuwhy::mcp
