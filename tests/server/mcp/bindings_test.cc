// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/bindings.h"

#include "tests/catch.h"
#include "tests/support/fake_tools.h"
#include "tests/support/golden.h"
#include "tests/support/mcp_harness.h"

namespace gpuwhy::mcp {
namespace {

Json CallTool(McpHarness& harness, const std::string& tool, Json arguments = nullptr) {
  Json params = {{"name", tool}};
  if (!arguments.is_null()) params["arguments"] = std::move(arguments);
  return harness.AskModern("tools/call", std::move(params));
}

std::string TextOf(const Json& answer) {
  return answer["result"]["content"][0]["text"];
}

}  // namespace

TEST_CASE("mcp tools: the definition of each tool is the one that was reviewed", "[mcp]") {
  for (const Tool& tool : tools::AllTools()) {
    const std::string definition = DumpJson(ToolDefinition(tool), 2) + "\n";
    CheckGolden("schema/" + std::string(tool.name) + ".json", definition);
  }
}

TEST_CASE("mcp tools: all definitions together cost a model less than 5,000 tokens", "[mcp]") {
  size_t characters = 0;
  for (const Tool& tool : tools::AllTools())
    characters += DumpJson(ToolDefinition(tool)).size();

  constexpr size_t kCharactersPerToken = 4;
  CHECK(characters / kCharactersPerToken < 5'000);
}

TEST_CASE("mcp tools: a definition says that the tool only reads", "[mcp]") {
  const Json definition = ToolDefinition(FakeTools().at(0));

  CHECK(definition["annotations"] == Json::parse(R"({"readOnlyHint":true,"destructiveHint":false,
                                                     "idempotentHint":true,"openWorldHint":false})"));
  CHECK_FALSE(definition.contains("outputSchema"));
  CHECK(definition["inputSchema"]["type"] == "object");
  CHECK(definition["inputSchema"]["properties"].contains("format"));
}

TEST_CASE("mcp tools: the list is the same each time", "[mcp]") {
  McpHarness harness;

  const Json first = harness.AskModern("tools/list")["result"];

  CHECK(first == harness.AskModern("tools/list")["result"]);
  CHECK(first["tools"].size() == FakeTools().size());
}

TEST_CASE("mcp tools: lists have one page", "[mcp]") {
  McpHarness harness;
  const auto method = GENERATE(as<std::string>(), "tools/list", "prompts/list", "resources/list",
                               "resources/templates/list");

  CHECK(harness.AskModern(method, {{"cursor", "x"}})["error"]["code"] == kInvalidParams);
  CHECK(harness.AskModern(method, {{"cursor", ""}}).contains("result"));
}

TEST_CASE("mcp tools: an unknown tool is an error of the call", "[mcp]") {
  McpHarness harness;

  CHECK(CallTool(harness, "no_such_tool")["error"]["code"] == kInvalidParams);
  CHECK(harness.AskModern("tools/call")["error"]["code"] == kInvalidParams);
  CHECK(harness.AskModern("tools/call", {{"name", 7}})["error"]["code"] == kInvalidParams);
}

TEST_CASE("mcp tools: wrong arguments teach the right ones", "[mcp]") {
  McpHarness harness;

  const Json missing = CallTool(harness, "echo_text");
  const Json unknown = CallTool(harness, "echo_text", {{"txt", "a"}});
  const Json range = CallTool(harness, "write_lines", {{"limit", -1}});
  const Json list = CallTool(harness, "echo_text", Json::array({1}));

  for (const Json& answer : {missing, unknown, range, list})
    CHECK(answer["result"]["isError"] == true);
  CHECK(TextOf(missing) == "text is required: The text.\nexample: echo_text {\"text\":\"<text>\"}");
  CHECK(TextOf(unknown).find("there is no parameter txt") == 0);
  CHECK(TextOf(range).find("example: write_lines {\"limit\":10}") != std::string::npos);
}

TEST_CASE("mcp tools: failures are results, except our own bugs", "[mcp]") {
  McpHarness harness;

  const Json not_found = CallTool(harness, "fail_call", {{"kind", "not_found"}});
  CHECK(not_found["result"]["isError"] == true);
  CHECK(TextOf(not_found) == "there is no process 7");
  CHECK(TextOf(CallTool(harness, "fail_call", {{"kind", "corrupt"}})) == "the trace is damaged");
  CHECK(TextOf(CallTool(harness, "fail_call", {{"kind", "unavailable"}})) == "no kernel rows");
  CHECK(TextOf(CallTool(harness, "fail_call", {{"kind", "long"}})).size() <= kMaxErrorBytes);
  CHECK(CallTool(harness, "fail_call", {{"kind", "internal"}})["error"]["code"] == kInternalError);
  CHECK(CallTool(harness, "fail_call", {{"kind", "throw"}})["error"]["code"] == kInternalError);
}

TEST_CASE("mcp tools: a tool that needs a trace says when there is none, or several", "[mcp]") {
  McpHarness harness;
  const Json none = CallTool(harness, "get_trace_overview");
  harness.AddTrace("one");
  const Json one = CallTool(harness, "get_trace_overview");
  harness.AddTrace("two");
  const Json several = CallTool(harness, "get_trace_overview");
  const Json named = CallTool(harness, "get_trace_overview", {{"trace", "two"}});

  CHECK(none["result"]["isError"] == true);
  CHECK(TextOf(one).find("2 processes") == 0);
  CHECK(several["result"]["isError"] == true);
  CHECK(TextOf(several).find("one, two") != std::string::npos);
  CHECK(TextOf(named).find("2 processes") == 0);
}

TEST_CASE("mcp tools: the answer comes as JSON when asked for", "[mcp]") {
  McpHarness harness;

  const Json answer = CallTool(harness, "echo_text", {{"text", "a"}, {"format", "json"}});
  const Json by_default = CallTool(harness, "echo_text", {{"text", "a"}, {"format", nullptr}});

  CHECK(TextOf(answer) == R"({"headline":"a"})");
  CHECK(TextOf(by_default) == "a\n");
}

TEST_CASE("mcp tools: an answer over the cap is cut at the end of a line and says so", "[mcp]") {
  McpHarness harness;

  const std::string text = TextOf(CallTool(harness, "write_lines", {{"count", 5000}}));
  const std::string json =
      TextOf(CallTool(harness, "write_lines", {{"count", 5000}, {"format", "json"}}));

  CHECK(text.size() <= kMaxAnswerBytes);
  CHECK(text.size() > kMaxAnswerBytes - 300);
  CHECK(text.find("a\n… cut: call again with a smaller limit") != std::string::npos);
  CHECK(json.size() <= kMaxAnswerBytes);
  CHECK(json.find("\n… cut: call again") != std::string::npos);
}

TEST_CASE("mcp tools: a cut never splits a character", "[mcp]") {
  std::string text;
  while (text.size() < 2 * kMaxAnswerBytes)
    text += "…";

  const std::string cut = CutAnswer(text);

  CHECK(cut.size() <= kMaxAnswerBytes);
  CHECK(cut.find("…\n… cut") != std::string::npos);
}

TEST_CASE("mcp tools: hostile text of an argument comes back clean", "[mcp]") {
  McpHarness harness;

  const Json answer = CallTool(harness, "no\x1b[31m_tool");

  CHECK(answer["error"]["message"].get<std::string>().find('\x1b') == std::string::npos);
}

}  // namespace gpuwhy::mcp
