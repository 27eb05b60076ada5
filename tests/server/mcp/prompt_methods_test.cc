// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/prompt_methods.h"

#include "tests/catch.h"
#include "tests/support/mcp_harness.h"

namespace gpuwhy::mcp {

TEST_CASE("mcp prompts: the list has names, descriptions and arguments", "[mcp]") {
  McpHarness harness;

  const Json prompts = harness.AskModern("prompts/list")["result"]["prompts"];

  REQUIRE(prompts.size() == 2);
  CHECK(prompts[0]["name"] == "explain_finding");
  CHECK(prompts[0]["arguments"][0]["name"] == "finding");
  CHECK(prompts[0]["arguments"][0]["required"] == true);
  CHECK(prompts[1]["name"] == "investigate");
  CHECK(prompts[1]["arguments"][0]["required"] == false);
}

TEST_CASE("mcp prompts: a prompt ends with a message of the user", "[mcp]") {
  McpHarness harness;

  const Json result = harness.AskModern(
      "prompts/get", {{"name", "explain_finding"},
                      {"arguments", {{"finding", "gpu-starved"}, {"trace", "run"}}}})["result"];

  const Json& last = result["messages"].back();
  CHECK(last["role"] == "user");
  CHECK(last["content"]["type"] == "text");
  const std::string text = last["content"]["text"];
  CHECK(text.find("Explain the finding gpu-starved in run") == 0);
  CHECK(text.find("{{") == std::string::npos);
}

TEST_CASE("mcp prompts: what cannot be filled in is refused", "[mcp]") {
  McpHarness harness;
  const auto params =
      GENERATE(as<std::string>(), R"({})", R"({"name":"none"})", R"({"name":"explain_finding"})",
               R"({"name":"explain_finding","arguments":{"finding":""}})",
               R"({"name":"explain_finding","arguments":{"finding":"two words"}})",
               R"({"name":"explain_finding","arguments":{"finding":7}})",
               R"({"name":"explain_finding","arguments":[]})",
               R"({"name":"investigate","arguments":{"nothing":"x"}})");

  CHECK(harness.AskModern("prompts/get", Json::parse(params))["error"]["code"] == kInvalidParams);
}

TEST_CASE("mcp prompts: arguments may be left out, or be null as a whole", "[mcp]") {
  McpHarness harness;

  CHECK(harness.AskModern("prompts/get", {{"name", "investigate"}}).contains("result"));
  CHECK(harness.AskModern("prompts/get", {{"name", "investigate"}, {"arguments", nullptr}})
            .contains("result"));
}

}  // namespace gpuwhy::mcp
