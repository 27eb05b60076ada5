// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/era_modern.h"

#include <fmt/format.h>

#include "schema/base/text.h"
#include "server/mcp/revision.h"

namespace gpuwhy::mcp::modern {
namespace {

constexpr const char* kProtocolVersion = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kClientInfo = "io.modelcontextprotocol/clientInfo";
constexpr const char* kServerInfo = "io.modelcontextprotocol/serverInfo";
constexpr const char* kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
constexpr int64_t kDiscoverTtlMs = 3'600'000;

RpcError Missing(const char* key) {
  return {.code = kInvalidParams,
          .message = fmt::format("params._meta[\"{}\"] is missing: a request of {} carries it, one "
                                 "of an earlier revision comes after initialize",
                                 key, NameOf(kModern))};
}

}  // namespace

bool IsModern(const Json& params) {
  const Json* meta = ObjectMember(params, "_meta");
  return meta != nullptr && (meta->contains(kProtocolVersion) ||
                             meta->contains(kClientCapabilities) || meta->contains(kClientInfo));
}

std::optional<RpcError> CheckMeta(const Json& params) {
  const Json* meta = ObjectMember(params, "_meta");
  const std::string* version = meta == nullptr ? nullptr : StringMember(*meta, kProtocolVersion);
  if (version == nullptr) return Missing(kProtocolVersion);
  if (*version != NameOf(kModern)) {
    const std::string requested = CleanText(*version, 64);
    return RpcError{
        .code = kUnsupportedProtocolVersion,
        .message = fmt::format("protocol version {} is not supported", requested),
        .data = {{"supported", Json::array({NameOf(kModern)})}, {"requested", requested}}};
  }
  if (ObjectMember(*meta, kClientCapabilities) == nullptr) return Missing(kClientCapabilities);
  return std::nullopt;
}

void Finish(const ServerIdentity& identity, Json& result) {
  result["resultType"] = "complete";
  result["_meta"][kServerInfo] = {{"name", identity.name}, {"version", identity.version}};
}

void FinishCacheable(const ServerIdentity& identity, const CacheHint& cache, Json& result) {
  result["ttlMs"] = cache.ttl_ms;
  result["cacheScope"] = cache.is_public ? "public" : "private";
  Finish(identity, result);
}

Json DiscoverResult(const ServerIdentity& identity) {
  Json result = {{"supportedVersions", Json::array({NameOf(kModern)})},
                 {"capabilities", identity.capabilities},
                 {"instructions", identity.instructions}};
  FinishCacheable(identity, {.ttl_ms = kDiscoverTtlMs, .is_public = true}, result);
  return result;
}

Json SubscriptionAcknowledged(const Json& id) {
  return {{"_meta", {{kSubscriptionId, id}}}, {"notifications", Json::object()}};
}

Json SubscriptionEnded(const ServerIdentity& identity, const Json& id) {
  Json result = {{"_meta", {{kSubscriptionId, id}}}};
  Finish(identity, result);
  return result;
}

}  // namespace gpuwhy::mcp::modern
