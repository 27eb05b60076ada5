// SPDX-License-Identifier: Apache-2.0
#include "prompts/prompts.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "schema/embedded.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kFence = "---\n";
constexpr size_t kMaxValueBytes = 200;

// Splits at the first `separator`; the second part is empty when there is none.
std::pair<std::string_view, std::string_view> Split(std::string_view text,
                                                    std::string_view separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + separator.size())};
}

Status ParseLine(std::string_view line, Prompt& prompt) {
  const auto [key, value] = Split(line, ": ");
  const auto [kind, name] = Split(key, " ");
  if (key == "name") {
    prompt.name = value;
  } else if (key == "title") {
    prompt.title = value;
  } else if (key == "description") {
    prompt.description = value;
  } else if ((kind == "argument" || kind == "required") && !name.empty()) {
    prompt.arguments.push_back({.name = std::string(name),
                                .description = std::string(value),
                                .is_required = kind == "required"});
  } else {
    return CorruptInput(fmt::format("unknown key \"{}\" in front matter", key));
  }
  return {};
}

const PromptArgument* FindArgument(const Prompt& prompt, std::string_view name) {
  const auto& all = prompt.arguments;
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const PromptArgument& a) { return a.name == name; });
  return it == all.end() ? nullptr : &*it;
}

Status CheckValues(const Prompt& prompt, const PromptValues& values) {
  for (const auto& [name, value] : values) {
    if (FindArgument(prompt, name) == nullptr) {
      return InvalidArgument(
          fmt::format("prompt {} has no argument {}", prompt.name, CleanText(name, 40)));
    }
    if (value.size() > kMaxValueBytes || value.find_first_of(" \t\r\n") != std::string::npos) {
      return InvalidArgument(fmt::format("argument {} must be a single word", name));
    }
  }
  for (const PromptArgument& argument : prompt.arguments) {
    const auto it = values.find(argument.name);
    if (argument.is_required && (it == values.end() || it->second.empty())) {
      return InvalidArgument(
          fmt::format("prompt {} needs {}: {}", prompt.name, argument.name, argument.description));
    }
  }
  return {};
}

}  // namespace

Result<Prompt> ParsePrompt(std::string_view file) {
  if (!file.starts_with(kFence)) return CorruptInput("a prompt starts with front matter");
  file.remove_prefix(kFence.size());
  Prompt prompt;
  while (!file.starts_with(kFence)) {
    if (file.empty()) return CorruptInput("the front matter has no end");
    const auto [line, rest] = Split(file, "\n");
    GPUWHY_RETURN_IF_ERROR(ParseLine(line, prompt));
    file = rest;
  }
  prompt.text = file.substr(kFence.size());
  if (prompt.name.empty() || prompt.description.empty()) {
    return CorruptInput("a prompt has a name and a description");
  }
  return prompt;
}

const std::vector<Prompt>& AllPrompts() {
  static const std::vector<Prompt> all = [] {
    std::vector<Prompt> prompts;
    for (const EmbeddedFile& file : EmbeddedPrompts()) {
      auto prompt = ParsePrompt(file.text);
      GPUWHY_CHECK(prompt.ok());
      prompts.push_back(std::move(prompt).value());
    }
    return prompts;
  }();
  return all;
}

const Prompt* FindPrompt(std::string_view name) {
  const auto& all = AllPrompts();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Prompt& p) { return p.name == name; });
  return it == all.end() ? nullptr : &*it;
}

Result<std::string> FillPrompt(const Prompt& prompt, const PromptValues& values) {
  GPUWHY_RETURN_IF_ERROR(CheckValues(prompt, values));
  std::string filled;
  std::string_view rest = prompt.text;
  for (size_t at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    filled += rest.substr(0, at);
    const auto [slot, after] = Split(rest.substr(at + 2), "}}");
    const auto [name, otherwise] = Split(slot, "|");
    const auto value = values.find(std::string(name));
    filled += value == values.end() || value->second.empty()
                  ? std::string(otherwise)
                  : CleanText(value->second, kMaxValueBytes);
    rest = after;
  }
  filled += rest;
  return filled;
}

}  // namespace gpuwhy
