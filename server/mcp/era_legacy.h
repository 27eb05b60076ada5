// SPDX-License-Identifier: Apache-2.0
// The revisions before 2026-07-28: a handshake chooses one for the whole session, and results have
// fewer fields the older it is. Pure functions, any thread.
#pragma once

#include "server/mcp/method.h"
#include "server/mcp/revision.h"

namespace gpuwhy::mcp::legacy {

// The revision the client asks for when we speak it, else our newest.
Revision Negotiate(const Json& params);
Json InitializeResult(const ServerIdentity& identity, Revision revision);

// Removes what `revision` does not know.
void Finish(Revision revision, Json& result);

// Only 2025-03-26 has batches, and there they must be processed.
inline bool HasBatches(Revision revision) {
  return revision == Revision::k20250326;
}

}  // namespace gpuwhy::mcp::legacy
