// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/era_legacy.h"

#include "tests/catch.h"
#include "tests/support/mcp_harness.h"

namespace gpuwhy::mcp {

TEST_CASE("mcp legacy: initialize answers with the version asked for, or our newest", "[mcp]") {
  const auto [asked, given] =
      GENERATE(table<std::string, std::string>({{"2024-11-05", "2024-11-05"},
                                                {"2025-03-26", "2025-03-26"},
                                                {"2025-06-18", "2025-06-18"},
                                                {"2025-11-25", "2025-11-25"},
                                                {"2026-07-28", "2025-11-25"},
                                                {"1.0", "2025-11-25"}}));
  McpHarness harness;

  const Json result = harness.AskLegacy("initialize", {{"protocolVersion", asked}})["result"];

  CHECK(result["protocolVersion"] == given);
  CHECK(result["serverInfo"]["name"] == "gpuwhy");
  CHECK(result["serverInfo"]["version"] == "1.2.3");
  CHECK(result["capabilities"].contains("tools"));
  CHECK(result["instructions"] == "Read the overview first.");
}

TEST_CASE("mcp legacy: ping is answered before and after initialize", "[mcp]") {
  McpHarness harness;

  CHECK(harness.AskLegacy("ping")["result"] == Json::object());
  harness.Initialize();
  CHECK(harness.AskLegacy("ping")["result"] == Json::object());
}

TEST_CASE("mcp legacy: nothing else is served before initialize", "[mcp]") {
  McpHarness harness;
  const auto method = GENERATE(as<std::string>(), "tools/list", "tools/call", "resources/list");

  const Json error = harness.AskLegacy(method)["error"];

  CHECK(error["code"] == kInvalidParams);
  CHECK(error["message"].get<std::string>().find("initialize") != std::string::npos);
}

TEST_CASE("mcp legacy: what was not declared is an unknown method", "[mcp]") {
  McpHarness harness;
  harness.Initialize();
  const auto method = GENERATE(as<std::string>(), "logging/setLevel", "resources/subscribe",
                               "subscriptions/listen", "nothing");

  CHECK(harness.AskLegacy(method)["error"]["code"] == kMethodNotFound);
}

TEST_CASE("mcp legacy: results carry nothing of the later revision", "[mcp]") {
  McpHarness harness;
  harness.Initialize();

  const Json result = harness.AskLegacy("tools/list")["result"];

  CHECK(result.size() == 1);
  CHECK(result["tools"][0].contains("title"));
  CHECK(result["tools"][0].contains("annotations"));
}

TEST_CASE("mcp legacy: older revisions get the fields they know", "[mcp]") {
  McpHarness march;
  march.Initialize("2025-03-26");
  McpHarness first;
  first.Initialize("2024-11-05");

  const Json in_march = march.AskLegacy("tools/list")["result"]["tools"][0];
  const Json at_first = first.AskLegacy("tools/list")["result"]["tools"][0];

  CHECK_FALSE(in_march.contains("title"));
  CHECK(in_march.contains("annotations"));
  CHECK_FALSE(at_first.contains("annotations"));
  CHECK(at_first.contains("inputSchema"));
}

TEST_CASE("mcp 2025-03-26: a batch is answered with one array", "[mcp]") {
  McpHarness harness;
  harness.Initialize("2025-03-26");

  const Json answer = harness.Ask(R"([
    {"jsonrpc":"2.0","id":1,"method":"ping"},
    {"jsonrpc":"2.0","method":"notifications/initialized"},
    {"jsonrpc":"2.0","id":2,"method":"tools/call",
     "params":{"name":"echo_text","arguments":{"text":"in a batch"}}},
    7])");

  REQUIRE(answer.is_array());
  REQUIRE(answer.size() == 3);
  CHECK(answer[0]["id"] == 1);
  CHECK(answer[1]["result"]["content"][0]["text"] == "in a batch\n");
  CHECK(answer[2]["error"]["code"] == kInvalidRequest);
}

TEST_CASE("mcp 2025-03-26: a batch of notifications is not answered, an empty one is", "[mcp]") {
  McpHarness harness;
  harness.Initialize("2025-03-26");

  CHECK(harness.Send(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])").empty());
  CHECK(harness.Ask("[]")["error"]["code"] == kInvalidRequest);
}

TEST_CASE("mcp 2025-03-26: initialize is not for batches", "[mcp]") {
  McpHarness harness;
  harness.Initialize("2025-03-26");

  const Json answer = harness.Ask(
      R"([{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}])");

  CHECK(answer[0]["error"]["code"] == kInvalidRequest);
}

TEST_CASE("mcp legacy: other revisions refuse batches", "[mcp]") {
  const auto version = GENERATE(as<std::string>(), "2024-11-05", "2025-06-18", "2025-11-25");
  McpHarness harness;
  harness.Initialize(version);

  CHECK(harness.Ask(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")["error"]["code"] ==
        kInvalidRequest);
}

}  // namespace gpuwhy::mcp
