// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/json_rpc.h"

#include "tests/catch.h"

namespace gpuwhy::mcp {
namespace {

int ParseCode(std::string_view bytes) {
  const auto parsed = ParseJson(bytes);
  const auto* error = std::get_if<RpcError>(&parsed);
  return error == nullptr ? 0 : error->code;
}

int MessageCode(std::string_view bytes) {
  auto parsed = ParseJson(bytes);
  REQUIRE(std::holds_alternative<Json>(parsed));
  const auto message = ParseMessage(std::get<Json>(std::move(parsed)));
  const auto* failure = std::get_if<RpcFailure>(&message);
  return failure == nullptr ? 0 : failure->error.code;
}

RpcMessage Message(std::string_view bytes) {
  return std::get<RpcMessage>(ParseMessage(std::get<Json>(ParseJson(bytes))));
}

}  // namespace

TEST_CASE("json_rpc: what is not JSON in UTF-8 is a parse error", "[mcp]") {
  using namespace std::literals;
  const auto text = GENERATE(as<std::string_view>(), "{", "", "{}{}", "{\"a\":}", "nul",
                             "{\"a\":\"\xff\"}", "{\"\xc3\x28\":1}", "{\"a\":\"\x01\"}"sv,
                             "{\"a\":1}\0"sv, "\0"sv, "{\"a\":\"b\0c\"}"sv, "[1e999999,");

  CHECK(ParseCode(text) == kParseError);
}

TEST_CASE("json_rpc: deep nesting is refused before it is parsed", "[mcp]") {
  const std::string fits = std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']');

  CHECK(ParseCode(fits) == 0);
  CHECK(ParseCode("[" + fits + "]") == kInvalidRequest);
  CHECK(ParseCode(std::string(10'000'000, '[')) == kInvalidRequest);
  CHECK(ParseCode("\"" + std::string(1000, '[') + "\"") == 0);
  CHECK(ParseCode(
            R"(["\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["])") ==
        0);
}

TEST_CASE("json_rpc: too many members are refused before they are parsed", "[mcp]") {
  std::string text = "{";
  for (size_t i = 0; i <= kMaxMembers; ++i)
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":1";

  CHECK(ParseCode(text + "}") == kInvalidRequest);
}

TEST_CASE("json_rpc: a message needs its version, a method and a usable id", "[mcp]") {
  const auto text = GENERATE(
      as<std::string_view>(), R"(1)", R"("text")", R"(null)", R"([])", R"({})",
      R"({"id":1,"method":"ping"})", R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
      R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":7})",
      R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
      R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", R"({"jsonrpc":"2.0","id":{},"method":"p"})",
      R"({"jsonrpc":"2.0","id":[1],"method":"p"})", R"({"jsonrpc":"2.0","id":true,"method":"p"})",
      R"({"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"p"})");

  CHECK(MessageCode(text) == kInvalidRequest);
}

TEST_CASE("json_rpc: params that are no object are invalid params", "[mcp]") {
  CHECK(MessageCode(R"({"jsonrpc":"2.0","id":1,"method":"p","params":[1]})") == kInvalidParams);
  CHECK(MessageCode(R"({"jsonrpc":"2.0","id":1,"method":"p","params":7})") == kInvalidParams);
  CHECK(Message(R"({"jsonrpc":"2.0","id":1,"method":"p","params":null})").params.is_object());
}

TEST_CASE("json_rpc: requests, notifications and responses are told apart", "[mcp]") {
  using Kind = RpcMessage::Kind;

  CHECK(Message(R"({"jsonrpc":"2.0","id":"a","method":"p"})").kind == Kind::kRequest);
  CHECK(Message(R"({"jsonrpc":"2.0","method":"p"})").kind == Kind::kNotification);
  CHECK(Message(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind == Kind::kResponse);
  CHECK(Message(R"({"jsonrpc":"2.0","id":1,"error":{}})").kind == Kind::kResponse);
}

TEST_CASE("json_rpc: ids come back as they were sent", "[mcp]") {
  const auto id = GENERATE(as<std::string>(), "\"1\"", "1", "-7", "0", "18446744073709551615",
                           "\"\\u00e4\\n\"", "\"\"");

  const RpcMessage message = Message(R"({"jsonrpc":"2.0","method":"p","id":)" + id + "}");

  const Json answer = Json::parse(ResultText(message.id, "{}"));
  CHECK(answer["id"] == Json::parse(id));
  CHECK(answer["jsonrpc"] == "2.0");
}

TEST_CASE("json_rpc: a failed request keeps its id", "[mcp]") {
  const auto parsed = ParseMessage(Json::parse(R"({"jsonrpc":"2.0","id":"x","method":3})"));

  CHECK(std::get<RpcFailure>(parsed).id == "x");
}

TEST_CASE("json_rpc: an error has data only when there is some", "[mcp]") {
  const Json plain = Json::parse(ErrorText(Json(), {.code = -1, .message = "m"}));
  const Json rich = Json::parse(ErrorText(3, {.code = -1, .message = "m", .data = {{"a", 1}}}));

  CHECK(plain == Json::parse(R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}})"));
  CHECK(rich["error"]["data"]["a"] == 1);
}

}  // namespace gpuwhy::mcp
