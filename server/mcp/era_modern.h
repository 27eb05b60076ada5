// SPDX-License-Identifier: Apache-2.0
// What 2026-07-28 adds around methods: every request says in _meta which revision it speaks and
// what its client can do; every result carries its type, who answered and how long it keeps. Pure
// functions, any thread.
#pragma once

#include <optional>

#include "server/mcp/method.h"

namespace gpuwhy::mcp::modern {

inline constexpr int kUnsupportedProtocolVersion = -32022;

// True when the _meta of `params` has a key that only this era uses.
bool IsModern(const Json& params);
// What is wrong with the _meta of a request, or nothing.
std::optional<RpcError> CheckMeta(const Json& params);

void Finish(const ServerIdentity& identity, Json& result);
void FinishCacheable(const ServerIdentity& identity, const CacheHint& cache, Json& result);

Json DiscoverResult(const ServerIdentity& identity);
// The first message of subscriptions/listen: none of the lists changes while we run, so the
// accepted part of the filter is empty.
Json SubscriptionAcknowledged(const Json& id);
// The answer that ends a subscription.
Json SubscriptionEnded(const ServerIdentity& identity, const Json& id);

}  // namespace gpuwhy::mcp::modern
