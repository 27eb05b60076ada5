// SPDX-License-Identifier: Apache-2.0
// prompts/list and prompts/get. Pure functions, any thread.
#pragma once

#include "server/mcp/method.h"

namespace gpuwhy::mcp {

Json ListPrompts();
Outcome GetPrompt(const MethodCall& call);

}  // namespace gpuwhy::mcp
