// SPDX-License-Identifier: Apache-2.0
// The seam between the protocol and what is served: a method is a name and a function from
// parameters to a result, without anything that differs between protocol revisions. Adapters add
// that. A method runs on any thread, several at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/mcp/json_rpc.h"

namespace gpuwhy::mcp {

// What a result may be kept for (2026-07-28).
struct CacheHint {
  int64_t ttl_ms = 0;
  bool is_public = false;
};

struct MethodCall {
  const Json& params;
  std::stop_token stop;  // cancelled by the client or at the time limit
  std::function<void(double fraction, std::string_view doing)> progress;  // may be empty
  bool is_modern = false;  // for the few error codes that differ
};

using Outcome = std::variant<Json, RpcError>;

struct Method {
  enum class Kind {
    kStatic,  // the result never changes and takes no parameter but a cursor: rendered once
    kQuick,   // answered at once
    kLong,    // may read a trace: can be cancelled, counts against the number of calls at once
  };
  std::string_view name;
  Kind kind = Kind::kQuick;
  bool is_cacheable = false;  // whether the hint belongs to results of this method
  CacheHint cache;
  std::function<Outcome(const MethodCall& call)> run;
};

// We never hand out a cursor: lists are whole, because clients exist that read one page only.
inline std::optional<RpcError> CheckCursor(const Json& params) {
  const auto cursor = params.find("cursor");
  if (cursor == params.end() || cursor->is_null()) return std::nullopt;
  const std::string* text = cursor->get_ptr<const std::string*>();
  if (text != nullptr && text->empty()) return std::nullopt;
  return RpcError{.code = kInvalidParams, .message = "there is no page for this cursor"};
}

// Who we are, for initialize and server/discover.
struct ServerIdentity {
  std::string_view name = "gpuwhy";
  std::string_view title = "gpuwhy: why is my GPU waiting?";
  std::string_view version;
  std::string_view instructions;
  Json capabilities = Json::object();
};

}  // namespace gpuwhy::mcp
