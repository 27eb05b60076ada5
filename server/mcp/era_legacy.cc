// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/era_legacy.h"

namespace gpuwhy::mcp::legacy {

Revision Negotiate(const Json& params) {
  const std::string* wanted = StringMember(params, "protocolVersion");
  for (const Revision revision : {Revision::k20241105, Revision::k20250326, Revision::k20250618}) {
    if (wanted != nullptr && *wanted == NameOf(revision)) return revision;
  }
  return kNewestLegacy;
}

Json InitializeResult(const ServerIdentity& identity, Revision revision) {
  Json info = {{"name", identity.name}, {"version", identity.version}};
  if (revision >= Revision::k20250618) info["title"] = identity.title;
  return {{"protocolVersion", NameOf(revision)},
          {"capabilities", identity.capabilities},
          {"serverInfo", std::move(info)},
          {"instructions", identity.instructions}};
}

void Finish(Revision revision, Json& result) {
  if (revision >= Revision::k20250618) return;
  for (const char* list : {"tools", "prompts", "resources", "resourceTemplates"}) {
    const auto entries = result.find(list);
    if (entries == result.end()) continue;
    for (Json& entry : *entries) {
      entry.erase("title");
      if (revision == Revision::k20241105) entry.erase("annotations");
    }
  }
}

}  // namespace gpuwhy::mcp::legacy
