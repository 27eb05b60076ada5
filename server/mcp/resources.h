// SPDX-License-Identifier: Apache-2.0
// resources/list, resources/templates/list and resources/read: the documented schema, the catalogue
// of findings, and for each open trace its overview and findings as the tools tell them. Any
// thread.
#pragma once

#include "server/mcp/method.h"
#include "server/mcp/serve.h"

namespace gpuwhy::mcp {

inline constexpr int kLegacyResourceNotFound = -32002;  // revisions before 2026-07-28

Outcome ListResources(const McpOptions& options, const MethodCall& call);
Json ListResourceTemplates();
Outcome ReadResource(const McpOptions& options, const MethodCall& call);

}  // namespace gpuwhy::mcp
