// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/era_modern.h"

#include "tests/catch.h"
#include "tests/support/mcp_harness.h"

namespace gpuwhy::mcp {
namespace {

Json AskWithMeta(McpHarness& harness, std::string_view method, Json meta) {
  return harness.AskLegacy(method, {{"_meta", std::move(meta)}});
}

}  // namespace

TEST_CASE("mcp 2026-07-28: discover names versions, capabilities and instructions", "[mcp]") {
  McpHarness harness;

  const Json result = harness.AskModern("server/discover")["result"];

  CHECK(result["supportedVersions"] == Json::array({"2026-07-28"}));
  CHECK(result["capabilities"].contains("tools"));
  CHECK(result["instructions"] == "Read the overview first.");
  CHECK(result["resultType"] == "complete");
  CHECK(result["cacheScope"] == "public");
  CHECK(result["ttlMs"].is_number_integer());
  CHECK(result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"] == "1.2.3");
}

TEST_CASE("mcp 2026-07-28: a request without its _meta is refused, with its id", "[mcp]") {
  McpHarness harness;
  Json no_version = ModernMeta();
  no_version.erase("io.modelcontextprotocol/protocolVersion");
  Json no_capabilities = ModernMeta();
  no_capabilities.erase("io.modelcontextprotocol/clientCapabilities");

  CHECK(harness.AskLegacy("tools/list")["error"]["code"] == kInvalidParams);
  CHECK(AskWithMeta(harness, "tools/list", no_version)["error"]["code"] == kInvalidParams);
  const Json answer = AskWithMeta(harness, "server/discover", no_capabilities);
  CHECK(answer["error"]["code"] == kInvalidParams);
  CHECK(answer["id"].is_number_integer());
}

TEST_CASE("mcp 2026-07-28: the client need not name itself", "[mcp]") {
  McpHarness harness;

  CHECK(harness.AskModern("tools/list").contains("result"));
}

TEST_CASE("mcp 2026-07-28: an unknown version is named, with those there are", "[mcp]") {
  McpHarness harness;
  Json meta = ModernMeta();
  meta["io.modelcontextprotocol/protocolVersion"] = "v999.0.0";

  const Json error = AskWithMeta(harness, "tools/list", meta)["error"];

  CHECK(error["code"] == modern::kUnsupportedProtocolVersion);
  CHECK(error["data"]["requested"] == "v999.0.0");
  CHECK(error["data"]["supported"] == Json::array({"2026-07-28"}));
}

TEST_CASE("mcp 2026-07-28: methods of earlier revisions are unknown", "[mcp]") {
  McpHarness harness;
  const auto method =
      GENERATE(as<std::string>(), "initialize", "ping", "logging/setLevel", "resources/subscribe",
               "resources/unsubscribe", "unknown/method", "tasks/get", "");

  CHECK(harness.AskModern(method)["error"]["code"] == kMethodNotFound);
}

TEST_CASE("mcp 2026-07-28: results that may be kept say for how long and for whom", "[mcp]") {
  McpHarness harness;
  harness.AddTrace("run");
  const auto [method, params] = GENERATE(
      table<std::string, std::string>({{"tools/list", "{}"},
                                       {"prompts/list", "{}"},
                                       {"resources/list", "{}"},
                                       {"resources/templates/list", "{}"},
                                       {"resources/read", R"({"uri":"gpuwhy://schema"})"}}));

  const Json result = harness.AskModern(method, Json::parse(params))["result"];

  CHECK(result["resultType"] == "complete");
  CHECK(result["ttlMs"].get<int64_t>() >= 0);
  CHECK((result["cacheScope"] == "public" || result["cacheScope"] == "private"));
}

TEST_CASE("mcp 2026-07-28: a result of a call is complete and not to be kept", "[mcp]") {
  McpHarness harness;

  const Json result = harness.AskModern(
      "tools/call", {{"name", "echo_text"}, {"arguments", {{"text", "hello"}}}})["result"];

  CHECK(result["resultType"] == "complete");
  CHECK(result["content"][0]["text"] == "hello\n");
  CHECK_FALSE(result.contains("ttlMs"));
  CHECK_FALSE(result.contains("structuredContent"));
}

TEST_CASE("mcp 2026-07-28: requests are served beside a session of an earlier revision", "[mcp]") {
  McpHarness harness;
  harness.Initialize();

  CHECK(harness.AskModern("tools/list")["result"].contains("resultType"));
  CHECK_FALSE(harness.AskLegacy("tools/list")["result"].contains("resultType"));
  CHECK(harness.AskLegacy("server/discover")["error"]["code"] == kMethodNotFound);
}

TEST_CASE("mcp 2026-07-28: batches are refused", "[mcp]") {
  McpHarness harness;

  CHECK(harness.Ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")["error"]["code"] ==
        kInvalidRequest);
}

TEST_CASE("mcp 2026-07-28: a subscription is acknowledged and ends with the session", "[mcp]") {
  McpHarness harness;
  Json params = {{"notifications", {{"toolsListChanged", true}}}, {"_meta", ModernMeta()}};
  const std::string listen = DumpJson(
      {{"jsonrpc", "2.0"}, {"id", "sub"}, {"method", "subscriptions/listen"}, {"params", params}});

  const Json opened = harness.Ask(listen);
  const Json again = harness.Ask(listen);
  harness.session().Close();
  const std::vector<Json> closed = harness.Take();

  const char* id_key = "io.modelcontextprotocol/subscriptionId";
  CHECK(opened["method"] == "notifications/subscriptions/acknowledged");
  CHECK(opened["params"]["_meta"][id_key] == "sub");
  CHECK(opened["params"]["notifications"] == Json::object());
  CHECK(again["error"]["code"] == kInvalidRequest);
  REQUIRE(closed.size() == 1);
  CHECK(closed[0]["id"] == "sub");
  CHECK(closed[0]["result"]["resultType"] == "complete");
  CHECK(closed[0]["result"]["_meta"][id_key] == "sub");
}

TEST_CASE("mcp 2026-07-28: a cancelled subscription says nothing more", "[mcp]") {
  McpHarness harness;
  const Json opened =
      harness.AskModern("subscriptions/listen", {{"notifications", Json::object()}});
  const Json id = opened["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];

  harness.Send(DumpJson({{"jsonrpc", "2.0"},
                         {"method", "notifications/cancelled"},
                         {"params", {{"requestId", id}}}}));
  harness.session().Close();

  CHECK(harness.Take().empty());
}

TEST_CASE("mcp 2026-07-28: a subscription needs its filter", "[mcp]") {
  McpHarness harness;

  CHECK(harness.AskModern("subscriptions/listen")["error"]["code"] == kInvalidParams);
}

}  // namespace gpuwhy::mcp
