// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 as MCP uses it: bytes to messages and back. Knows no method and no tool. Hostile
// input is refused before it can cost much: nesting, members and invalid UTF-8 are checked first.
// Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "tools/json.h"

namespace gpuwhy::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;

inline constexpr size_t kMaxDepth = 64;
inline constexpr size_t kMaxMembers = 4096;  // nlohmann's ordered objects search linearly

struct RpcError {
  int code = kInternalError;
  std::string message;
  Json data;  // null: none
};

struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  Json id;  // string or integer; null unless it is a request
  std::string method;
  Json params = Json::object();
};

// A message that cannot be handled, with the id that the error answers (null when unknown).
struct RpcFailure {
  Json id;
  RpcError error;
};

std::variant<Json, RpcError> ParseJson(std::string_view bytes);
std::variant<RpcMessage, RpcFailure> ParseMessage(Json json);

std::string ResultText(const Json& id, std::string_view result);
std::string ErrorText(const Json& id, const RpcError& error);
std::string NotificationText(std::string_view method, const Json& params);

// params.<key> when it is a string, else nullptr.
const std::string* StringMember(const Json& object, const char* key);
// object.<key> when it is an object, else nullptr.
const Json* ObjectMember(const Json& object, const char* key);

}  // namespace gpuwhy::mcp
