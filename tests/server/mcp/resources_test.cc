// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/resources.h"

#include "server/mcp/uri.h"
#include "tests/catch.h"
#include "tests/support/mcp_harness.h"

namespace gpuwhy::mcp {
namespace {

Json Read(McpHarness& harness, const std::string& uri) {
  return harness.AskModern("resources/read", {{"uri", uri}});
}

std::string TextOf(const Json& answer) {
  REQUIRE(answer.contains("result"));
  return answer["result"]["contents"][0]["text"];
}

}  // namespace

TEST_CASE("mcp resources: the list has the schema, the catalogue and two a trace", "[mcp]") {
  McpHarness harness;
  harness.AddTrace("my run");

  const Json resources = harness.AskModern("resources/list")["result"]["resources"];

  REQUIRE(resources.size() == 4);
  CHECK(resources[0]["uri"] == "gpuwhy://schema");
  CHECK(resources[1]["uri"] == "gpuwhy://findings");
  CHECK(resources[2]["uri"] == "gpuwhy://trace/my_run/overview");
  CHECK(resources[3]["uri"] == "gpuwhy://trace/my_run/findings");
}

TEST_CASE("mcp resources: each listed resource can be read", "[mcp]") {
  McpHarness harness;
  harness.AddTrace("my run");

  const Json listed = harness.AskModern("resources/list");
  for (const Json& resource : listed["result"]["resources"]) {
    const Json answer = Read(harness, resource["uri"]);
    CHECK_FALSE(TextOf(answer).empty());
    CHECK(answer["result"]["contents"][0]["uri"] == resource["uri"]);
  }
}

TEST_CASE("mcp resources: the schema is documented", "[mcp]") {
  McpHarness harness;

  const std::string text = TextOf(Read(harness, "gpuwhy://schema"));

  CHECK(text.find("CREATE TABLE api_call (") != std::string::npos);
  CHECK(text.find("CREATE VIEW api_calls AS") != std::string::npos);
  CHECK(text.find("-- command name (comm); untrusted text") != std::string::npos);
}

TEST_CASE("mcp resources: the catalogue names each detector with its question", "[mcp]") {
  McpHarness harness;

  const std::string text = TextOf(Read(harness, "gpuwhy://findings"));

  CHECK(text.find("gpu-starved: Does the GPU wait for its host?\n") != std::string::npos);
}

TEST_CASE("mcp resources: one finding is read by its id", "[mcp]") {
  McpHarness harness;
  harness.AddTrace("run");

  const std::string text = TextOf(Read(harness, "gpuwhy://trace/run/finding/cause-50"));

  CHECK(text.find("finding number 50") != std::string::npos);
  CHECK(text.find("finding number 49") == std::string::npos);
}

TEST_CASE("mcp resources: what does not exist is an error with its uri", "[mcp]") {
  McpHarness harness;
  harness.AddTrace("run");
  const auto uri = GENERATE(
      as<std::string>(), "", "x", "file:///etc/passwd", "gpuwhy://", "gpuwhy://trace",
      "gpuwhy://trace/", "gpuwhy://trace/run", "gpuwhy://trace/run/", "gpuwhy://trace/run/other",
      "gpuwhy://trace/none/overview", "gpuwhy://trace/run/overview/x", "gpuwhy://trace/run/finding",
      "gpuwhy://trace/run/finding/none", "gpuwhy://trace/run/finding/cause-1/x",
      "gpuwhy://trace/../run/overview", "gpuwhy://trace/%/overview",
      "gpuwhy://trace/run%2Foverview", "gpuwhy://schema/");

  const Json error = Read(harness, uri)["error"];

  CHECK(error["code"] == kInvalidParams);
  CHECK(error["data"]["uri"] == uri);
}

TEST_CASE("mcp resources: earlier revisions have a code of their own for it", "[mcp]") {
  McpHarness harness;
  harness.Initialize();

  const Json error = harness.AskLegacy("resources/read", {{"uri", "gpuwhy://none"}})["error"];

  CHECK(error["code"] == kLegacyResourceNotFound);
  CHECK(harness.AskLegacy("resources/read")["error"]["code"] == kInvalidParams);
}

TEST_CASE("mcp resources: templates have the forms that can be read", "[mcp]") {
  McpHarness harness;

  const Json templates =
      harness.AskModern("resources/templates/list")["result"]["resourceTemplates"];

  REQUIRE(templates.size() == 3);
  CHECK(templates[2]["uriTemplate"] == "gpuwhy://trace/{name}/finding/{id}");
}

TEST_CASE("uri: names survive the way there and back", "[mcp]") {
  const std::string name = "a b/c%?#\xc3\xa4";

  const auto parsed = ParseTraceUri(TraceUriText(name, "overview"));

  REQUIRE(parsed);
  CHECK(parsed->trace == name);
  CHECK(parsed->part == "overview");
}

}  // namespace gpuwhy::mcp
