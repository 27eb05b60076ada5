// SPDX-License-Identifier: Apache-2.0
// The prompts of the server: one Markdown file each, with front matter that names the arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
  std::string text;  // {{argument}} is replaced by its value
};

const std::vector<Prompt>& AllPrompts();
const Prompt* FindPrompt(std::string_view name);

}  // namespace gpuwhy
