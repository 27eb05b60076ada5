// SPDX-License-Identifier: Apache-2.0
// Where tools, prompts and resources become methods of the protocol. bindings.cc is the only file
// that sees both a Tool and the protocol.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/mcp/method.h"
#include "server/mcp/serve.h"

namespace gpuwhy::mcp {

inline constexpr size_t kMaxAnswerBytes = 40'000;  // clients cut or spill what is longer
inline constexpr size_t kMaxErrorBytes = 2'000;

// The methods refer to what `options` refers to.
std::vector<Method> BindMethods(const McpOptions& options);

// The tool of that name, nullptr when there is none.
const Tool* FindTool(std::span<const Tool> tools, std::string_view name);

// What tools/list says of one tool.
Json ToolDefinition(const Tool& tool);

// A call that would be right, to learn from: get_call_stacks {"process": "python3"}.
std::string ExampleCall(const Tool& tool);

// `text`, cut at the end of a line when it is over the limit, and then saying so.
std::string CutAnswer(std::string text);

}  // namespace gpuwhy::mcp
