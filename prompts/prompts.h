// SPDX-License-Identifier: Apache-2.0
// The prompts of the server: one Markdown file each, with front matter that names the arguments.
// Parsed at first use; any thread.
//
//   ---
//   name: investigate
//   title: Why is my GPU waiting?
//   description: Guides ...
//   argument trace: which open trace
//   required finding: id of the finding
//   ---
//   Text with {{trace|the only open trace}}: the value, or what stands for it when absent.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

struct PromptArgument {
  std::string name;
  std::string description;
  bool is_required = false;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  std::string text;
};

using PromptValues = std::map<std::string, std::string>;

// Refuses front matter without an end, unknown keys and a missing name or description.
Result<Prompt> ParsePrompt(std::string_view file);

const std::vector<Prompt>& AllPrompts();
const Prompt* FindPrompt(std::string_view name);

// The text with its arguments in place. Values are single words of at most 200 bytes, because
// clients split the words of a command line between arguments; names must be declared.
Result<std::string> FillPrompt(const Prompt& prompt, const PromptValues& values);

}  // namespace gpuwhy
