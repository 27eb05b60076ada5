// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/completions.h"

#include "tests/catch.h"
#include "tests/support/mcp_harness.h"

namespace gpuwhy::mcp {
namespace {

Json Complete(McpHarness& harness, Json ref, const std::string& name, const std::string& value) {
  return harness.AskModern(
      "completion/complete",
      {{"ref", std::move(ref)}, {"argument", {{"name", name}, {"value", value}}}});
}

Json Values(McpHarness& harness, Json ref, const std::string& name, const std::string& value) {
  return Complete(harness, std::move(ref), name, value)["result"]["completion"]["values"];
}

const Json kInvestigate = {{"type", "ref/prompt"}, {"name", "investigate"}};
const Json kFinding = {{"type", "ref/resource"}, {"uri", "gpuwhy://trace/{name}/finding/{id}"}};

}  // namespace

TEST_CASE("mcp completion: names of traces, processes and findings", "[mcp]") {
  McpHarness harness;
  harness.AddTrace("training");

  CHECK(Values(harness, kInvestigate, "trace", "tr") == Json::array({"training"}));
  CHECK(Values(harness, kInvestigate, "process", "PY") == Json::array({"python3"}));
  CHECK(Values(harness, kFinding, "name", "") == Json::array({"training"}));
  CHECK(Values(harness, kFinding, "id", "cpu") == Json::array({"cpu-contention"}));
}

TEST_CASE("mcp completion: processes come from the trace that was chosen", "[mcp]") {
  McpHarness harness;
  harness.AddTrace("one");
  harness.AddTrace("two");
  Json params = {{"ref", kInvestigate}, {"argument", {{"name", "process"}, {"value", ""}}}};

  const Json undecided = harness.AskModern("completion/complete", params)["result"];
  params["context"] = {{"arguments", {{"trace", "two"}}}};
  const Json decided = harness.AskModern("completion/complete", params)["result"];

  CHECK(undecided["completion"]["values"].empty());
  CHECK(decided["completion"]["values"] == Json::array({"nvidia-smi", "python3"}));
}

TEST_CASE("mcp completion: the best match comes first", "[mcp]") {
  const std::vector<std::string> candidates = {"gpu", "my-cpu", "CPU-bound", "c-p-u", "disk"};

  CHECK(RankCompletions(candidates, "cpu") ==
        std::vector<std::string>{"CPU-bound", "my-cpu", "c-p-u"});
  CHECK(RankCompletions(candidates, "") == candidates);
}

TEST_CASE("mcp completion: at most one hundred values, and how many there are", "[mcp]") {
  McpHarness harness;
  for (int i = 0; i < 120; ++i)
    harness.traces().Add("/nowhere/trace" + std::to_string(i) + ".db");

  const Json completion = Complete(harness, kInvestigate, "trace", "")["result"]["completion"];

  CHECK(completion["values"].size() == 100);
  CHECK(completion["total"] == 120);
  CHECK(completion["hasMore"] == true);
}

TEST_CASE("mcp completion: unknown references are refused", "[mcp]") {
  McpHarness harness;
  const Json unknown_prompt = {{"type", "ref/prompt"}, {"name", "none"}};
  const Json unknown_type = {{"type", "ref/tool"}, {"name", "investigate"}};
  const Json unknown_uri = {{"type", "ref/resource"}, {"uri", "gpuwhy://schema"}};

  for (const Json& ref : {unknown_prompt, unknown_type, unknown_uri, Json::object()})
    CHECK(Complete(harness, ref, "trace", "")["error"]["code"] == kInvalidParams);
  CHECK(Complete(harness, kInvestigate, "none", "")["error"]["code"] == kInvalidParams);
  CHECK(harness.AskModern("completion/complete")["error"]["code"] == kInvalidParams);
}

}  // namespace gpuwhy::mcp
