// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/prompt_methods.h"

#include <fmt/format.h>

#include <utility>

#include "prompts/prompts.h"
#include "schema/base/text.h"

namespace gpuwhy::mcp {
namespace {

RpcError InvalidParams(std::string message) {
  return {.code = kInvalidParams, .message = std::move(message)};
}

Json ArgumentsJson(const Prompt& prompt) {
  Json arguments = Json::array();
  for (const PromptArgument& argument : prompt.arguments) {
    arguments.push_back({{"name", argument.name},
                         {"description", argument.description},
                         {"required", argument.is_required}});
  }
  return arguments;
}

}  // namespace

Json ListPrompts() {
  Json prompts = Json::array();
  for (const Prompt& prompt : AllPrompts()) {
    prompts.push_back({{"name", prompt.name},
                       {"title", prompt.title},
                       {"description", prompt.description},
                       {"arguments", ArgumentsJson(prompt)}});
  }
  return {{"prompts", std::move(prompts)}};
}

Outcome GetPrompt(const MethodCall& call) {
  const std::string* name = StringMember(call.params, "name");
  const Prompt* prompt = name == nullptr ? nullptr : FindPrompt(*name);
  if (prompt == nullptr) {
    return InvalidParams(
        fmt::format("there is no prompt {}", name == nullptr ? "" : CleanText(*name, 64)));
  }
  PromptValues values;
  const auto arguments = call.params.find("arguments");
  if (arguments != call.params.end() && !arguments->is_null()) {
    if (!arguments->is_object()) return InvalidParams("params.arguments must be an object");
    for (const auto& [key, value] : arguments->items()) {
      if (!value.is_string()) return InvalidParams("arguments of prompts are strings");
      values.emplace(key, value.get<std::string>());
    }
  }
  auto text = FillPrompt(*prompt, values);
  if (!text.ok()) return InvalidParams(text.error().message);
  Json content = {{"type", "text"}, {"text", std::move(text).value()}};
  Json message = {{"role", "user"}, {"content", std::move(content)}};
  return Json{{"description", prompt->description},
              {"messages", Json::array({std::move(message)})}};
}

}  // namespace gpuwhy::mcp
