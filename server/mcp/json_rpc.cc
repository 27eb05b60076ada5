// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/json_rpc.h"

#include <fmt/format.h>

#include <utility>

namespace gpuwhy::mcp {
namespace {

constexpr std::string_view kHead = R"({"jsonrpc":"2.0","id":)";

struct Shape {
  size_t depth = 0;
  size_t member_count = 0;
};

// A walk over the bytes that knows strings and brackets, nothing else. Stops at the limits.
Shape MeasureShape(std::string_view bytes) {
  Shape shape;
  size_t depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{' || c == '[') {
      shape.depth = std::max(shape.depth, ++depth);
    } else if (c == '}' || c == ']') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ':') {
      ++shape.member_count;
    }
    if (shape.depth > kMaxDepth || shape.member_count > kMaxMembers) break;
  }
  return shape;
}

bool IsId(const Json& id) {
  return id.is_string() || id.is_number_integer();
}

RpcFailure Invalid(const Json& id, std::string message) {
  return {.id = id, .error = {.code = kInvalidRequest, .message = std::move(message)}};
}

Json TakeMember(Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? Json() : std::move(*it);
}

}  // namespace

std::variant<Json, RpcError> ParseJson(std::string_view bytes) {
  const Shape shape = MeasureShape(bytes);
  if (shape.depth > kMaxDepth) {
    return RpcError{.code = kInvalidRequest,
                    .message = fmt::format("nested deeper than {} levels", kMaxDepth)};
  }
  if (shape.member_count > kMaxMembers) {
    return RpcError{.code = kInvalidRequest,
                    .message = fmt::format("more than {} members", kMaxMembers)};
  }
  Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  // nlohmann takes a NUL for the end of its input and would ignore what follows.
  if (json.is_discarded() || bytes.find('\0') != std::string_view::npos) {
    return RpcError{.code = kParseError, .message = "not valid JSON in UTF-8"};
  }
  return json;
}

std::variant<RpcMessage, RpcFailure> ParseMessage(Json json) {
  if (!json.is_object()) return Invalid(Json(), "a message is a JSON object");
  const bool has_id = json.contains("id");
  Json id = TakeMember(json, "id");
  const bool is_id_valid = IsId(id);
  if (json.contains("result") || json.contains("error")) {
    return RpcMessage{.kind = RpcMessage::Kind::kResponse};
  }
  if (has_id && !is_id_valid) return Invalid(Json(), "id must be a string or an integer");
  const std::string* version = StringMember(json, "jsonrpc");
  if (version == nullptr || *version != "2.0") return Invalid(id, "jsonrpc must be \"2.0\"");
  const std::string* method = StringMember(json, "method");
  if (method == nullptr) return Invalid(id, "method must be a string");
  Json params = TakeMember(json, "params");
  if (params.is_null()) params = Json::object();
  if (!params.is_object()) {
    return RpcFailure{.id = std::move(id),
                      .error = {.code = kInvalidParams, .message = "params must be an object"}};
  }
  return RpcMessage{.kind = has_id ? RpcMessage::Kind::kRequest : RpcMessage::Kind::kNotification,
                    .id = std::move(id),
                    .method = *method,
                    .params = std::move(params)};
}

std::string ResultText(const Json& id, std::string_view result) {
  const std::string id_text = DumpJson(id);
  std::string text;
  text.reserve(kHead.size() + id_text.size() + result.size() + 16);
  text.append(kHead).append(id_text).append(",\"result\":").append(result).append("}");
  return text;
}

std::string ErrorText(const Json& id, const RpcError& error) {
  Json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return DumpJson(Json{{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}});
}

std::string NotificationText(std::string_view method, const Json& params) {
  return DumpJson(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

const std::string* StringMember(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? nullptr : it->get_ptr<const std::string*>();
}

const Json* ObjectMember(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() || !it->is_object() ? nullptr : &*it;
}

}  // namespace gpuwhy::mcp
