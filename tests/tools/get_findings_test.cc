// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kTool = "get_findings";
constexpr int64_t kUs = 1'000;

// A starved device, batches made in loader ranges, and one conclusion of another tool.
void Fill(TraceBuilder& builder) {
  const int64_t thread = builder.Thread(10, 10);
  for (int64_t i = 0; i < 20; ++i) {
    AddLaunch(builder, {thread, i * 10 * kMs, 10 * kUs, i});
    AddOp(builder, 10, {"kernel", i * 10 * kMs + 10 * kUs, 2 * kMs, i});
    builder.Range(thread, "enumerate(DataLoader)#x", (i * 10 + 3) * kMs, 6 * kMs);
  }
  ForeignFindingRow theirs;
  theirs.tool = "other";
  theirs.external_id = "1";
  theirs.severity = "HIGH";
  theirs.title = "slow \x1b[31mfree";
  theirs.operation = "cudaFree\x1b[31m";
  theirs.p99_ns = 5 * kMs;
  builder.recorder().Add(theirs);
}

TEST_CASE("get_findings: the worst comes first, with ids, and others' conclusions are judged",
          "[tools]") {
  const BuiltTrace trace(&Fill);

  const Json answer = trace.AskJson(kTool);

  REQUIRE(answer["findings"].size() == 2);
  CHECK(answer["findings"][0]["id"] == "gpu-starved-1");
  CHECK(answer["findings"][0]["severity"] == "HIGH");
  CHECK(answer["findings"][1]["id"] == "loader-cpu-bound-1");
  CHECK(answer["findings"][1]["severity"] == "MEDIUM");
  CHECK(answer["other_tools"][0]["verdict"] == "not re-derivable");
  CHECK(answer["other_tools"][0]["reason"] == "no call of it is in the file");
}

TEST_CASE("get_findings: says what was looked for in vain and what could not be checked",
          "[tools]") {
  const BuiltTrace trace(&Fill);

  const std::string text = RenderText(trace.Ask(kTool));

  CHECK(text.find("Checked and not found: cold-start-first-use: no slow first call") !=
        std::string::npos);
  CHECK(text.find("Could not check: cpu-contention: needs kernel scheduling rows") !=
        std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("get_findings: one detector comes with its query and rows", "[tools]") {
  const BuiltTrace trace(&Fill);

  const std::string text = RenderText(trace.Ask(kTool, {{"detector", "gpu-starved"}}));

  CHECK(text.find("sql: WITH c AS (SELECT") != std::string::npos);
  CHECK(text.find("rows: gpu_op:2") != std::string::npos);
  CHECK(text.find("loader-cpu-bound") == std::string::npos);
}

TEST_CASE("get_findings: limit and min_severity leave out, and the first says so", "[tools]") {
  const BuiltTrace trace(&Fill);

  CHECK(trace.AskJson(kTool, {{"min_severity", "HIGH"}})["findings"].size() == 1);
  CHECK(RenderText(trace.Ask(kTool, {{"limit", 1}})).find("1 more: call again with limit=50") !=
        std::string::npos);
  CHECK_FALSE(trace.Run(kTool, {{"detector", "no-such"}}).ok());
}

}  // namespace
}  // namespace gpuwhy
