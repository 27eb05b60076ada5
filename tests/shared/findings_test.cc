// SPDX-License-Identifier: Apache-2.0
// Findings and chains on real recordings. The numbers were computed from the files with SQL.
#include <algorithm>
#include <string>

#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/detect.h"
#include "tests/support/imported.h"
#include "tests/support/shared_data.h"

namespace gpuwhy {
namespace {

constexpr size_t kDefaultAnswerChars = 6000;  // 1,500 tokens of four characters
constexpr const char* kDataloader = "ingero-db/pytorch-dataloader-starvation.db";
constexpr const char* kEmptyCache = "ingero-db/pytorch-173382-empty-cache.db";
constexpr const char* kNode01 = "ingero-db/sample-gpu-node-01.db";
constexpr const char* kNode02 = "ingero-db/sample-gpu-node-02.db";
constexpr const char* kResnet =
    "kineto/kineto-tb-resnet50-workers0/worker0.1623143089861.pt.trace.json.gz";

TraceDb Open(const std::string& name) {
  auto db = Imported(SharedData(name));
  if (!db.ok()) FAIL(db.error().message);
  return std::move(db).value();
}

Answer Ask(const TraceDb& db, std::string_view tool) {
  auto answer = RunToolOn(db, tool, Json::object());
  if (!answer.ok()) FAIL(answer.error().message);
  return std::move(answer).value();
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Every finding of every detector, each with its query run.
size_t CheckAllEvidence(const TraceDb& db) {
  size_t count = 0;
  for (const Detector& detector : tools::detectors::AllDetectors()) {
    for (const Finding& finding : FindingsOf(db, detector.name)) {
      INFO(finding.title << "\n" << finding.evidence_sql);
      CHECK(EvidenceHolds(db, finding));
      CHECK_FALSE(finding.counter_test.empty());
      CHECK_FALSE(finding.basis.empty());
      CHECK_FALSE(finding.fix.empty());
      CHECK_FALSE(finding.row_ids.empty());
      ++count;
    }
  }
  return count;
}

TEST_CASE("findings dataloader: first of all, no CUDA call for 99.1 % of the trace", "[shared]") {
  const TraceDb db = Open(kDataloader);

  const Json answer = Json::parse(RenderJson(Ask(db, "get_findings")));
  const Json& first = answer["findings"][0];

  CHECK(first["id"] == "gpu-starved-1");
  CHECK(first["severity"] == "HIGH");
  CHECK(first["title"] ==
        "No CUDA call was in flight for 99.1 % of the trace (76.28 s of 76.94 s)");
  const Finding starved = FindingsOf(db, "gpu-starved").at(0);
  CHECK(starved.lost_ns / 1'000'000 == 76'277);
  CHECK(std::get<int64_t>(starved.evidence[2].value) == 8);
}

TEST_CASE("findings dataloader: gaps and phases A, B, C are told with their numbers", "[shared]") {
  const TraceDb db = Open(kDataloader);

  const std::string text = RenderText(Ask(db, "get_findings"));

  CHECK(Has(text,
            "gaps: 12.41 s at +0.641 s, 6.365 s at +13.047 s, 6.181 s at +19.412 s, 6.203 s "
            "at +25.594 s, 6.260 s at +31.796 s, 6.638 s at +38.056 s, 5.529 s at +44.694 s, "
            "26.70 s at +50.243 s"));
  CHECK(Has(text, "phase A: +0.185 s..+0.641 s: work back to back, 2.80 GB copied"));
  CHECK(Has(text,
            "phase B: +0.641 s..+50.243 s: idle 49.58 s in 7 gaps; feeding thread on a core "
            "99.9 % (off 42.86 ms, 871 switches), CPU 53-88 %"));
  CHECK(Has(text,
            "phase C: +50.243 s..+76.939 s: idle 26.70 s in 1 gap; feeding thread on a core "
            "94.6 % (off 1.431 s, 2,805 switches), 4 workers (169,055 switches averaging "
            "123.9 us), CPU 85-100 %, no launch or copy"));
  CHECK(Has(text, "(2257) main thread longest wait 5.000 s has the shape of a queue time-out"));
  CHECK(Has(text, "thread 2258 pt_data_pin longest wait 5.004 s has the shape"));
}

TEST_CASE("findings dataloader: the loader is CPU-bound in B and C, and nobody was pre-empted",
          "[shared]") {
  const TraceDb db = Open(kDataloader);

  const auto loader = FindingsOf(db, "loader-cpu-bound");

  REQUIRE(loader.size() == 2);
  CHECK(std::get<int64_t>(loader[0].evidence[1].value) == 871);
  CHECK(std::get<int64_t>(loader[1].evidence[0].value) == 169'055);
  CHECK(loader[0].severity == Severity::kMedium);
  CHECK(loader[1].severity == Severity::kMedium);
  CHECK(FindingsOf(db, "cpu-contention").empty());
  CHECK(FindingsOf(db, "cold-start-first-use").empty());
  CHECK(FindingsOf(db, "host-sync-hot-loop").empty());
  CHECK(CheckAllEvidence(db) == 3);
}

TEST_CASE("findings dataloader: Ingero's chains are its own and demoted as start-up effects",
          "[shared]") {
  const TraceDb db = Open(kDataloader);

  const Json theirs = Json::parse(RenderJson(Ask(db, "get_findings")))["other_tools"];

  REQUIRE(theirs.size() == 8);
  int64_t count = 0;
  for (const Json& row : theirs) {
    count += row["finding_count"].get<int64_t>();
    CHECK(row["tool"] == "ingero");
    CHECK(row["verdict"] == "demoted: start-up effect");
    CHECK(row["row"].get<std::string>().starts_with("api_call:"));
  }
  CHECK(count == 316);
  CHECK(theirs[2]["operation"] == "cudaLaunchKernel");
  CHECK(theirs[2]["reason"] ==
        "25.80 ms at +0.159 s, before the idle time that begins at +0.641 s");
}

TEST_CASE("findings 173382: the copy tail is size, frees are teardown, launches are start-up",
          "[shared]") {
  const TraceDb db = Open(kEmptyCache);

  const std::string text = RenderText(Ask(db, "get_findings"));
  const auto cold = FindingsOf(db, "cold-start-first-use");

  CHECK(Has(text, "r = 0.9996 of bytes and duration over 296 H2D copies, 9.8 GB/s"));
  CHECK(Has(text, "demoted: teardown"));
  CHECK(Has(text, "all 40 calls at"));
  REQUIRE(cold.size() == 1);
  CHECK(cold[0].severity == Severity::kInfo);
  CHECK(std::get<int64_t>(cold[0].evidence[0].value) == 29);
  CHECK(FindingsOf(db, "gpu-starved").empty());
  CHECK(SilenceOf(db, "gpu-starved").is_abstention);
  CHECK(CheckAllEvidence(db) == 1);
}

TEST_CASE("findings node-01: switches and disk reads are paired, MEDIUM because CUDA is unseen",
          "[shared]") {
  const TraceDb db = Open(kNode01);

  const auto io = FindingsOf(db, "loader-io-bound");

  REQUIRE(io.size() == 1);
  CHECK(io[0].severity == Severity::kMedium);
  CHECK(std::get<int64_t>(io[0].evidence[0].value) / 1'000 == 74'193);
  CHECK(std::get<int64_t>(io[0].evidence[1].value) == 98);
  CHECK(std::get<int64_t>(io[0].evidence[2].value) / 1'000 == 75'141);
  CHECK(std::get<int64_t>(io[0].evidence[3].value) == 99);
  CHECK(std::get<int64_t>(io[0].evidence[4].value) == 98);
  CHECK(CheckAllEvidence(db) == 1);
}

TEST_CASE("findings node-02: a sleep loop and the tracer's own I/O raise no alarm", "[shared]") {
  const TraceDb db = Open(kNode02);

  const std::string text = RenderText(Ask(db, "get_findings"));

  CHECK(CheckAllEvidence(db) == 0);
  CHECK(Has(text, "sleeps voluntarily: 62 waits of 50.06 ms"));
  CHECK(Has(text, "all 98 disk requests are the recorder's own (33) or its journal's (65)"));
  CHECK(Has(text,
            "slowest of 40 rows 154.1 us; switches: sleep loop of 62 x 50.06 ms; I/O: "
            "recorder 33, journal 65"));
}

TEST_CASE("findings resnet50 workers0: the loader starves the GPU, syncs do not", "[shared]") {
  const TraceDb db = Open(kResnet);

  const auto starved = FindingsOf(db, "gpu-starved");
  const auto loader = FindingsOf(db, "loader-cpu-bound");

  REQUIRE(starved.size() == 1);
  CHECK(starved[0].severity == Severity::kHigh);
  REQUIRE(loader.size() == 1);
  CHECK(loader[0].severity == Severity::kMedium);
  CHECK(Has(loader[0].fix, "num_workers"));
  CHECK(FindingsOf(db, "host-sync-hot-loop").empty());
  CHECK(CheckAllEvidence(db) == 3);
}

TEST_CASE("findings: traces of a few operations and busy devices raise no alarm", "[shared]") {
  for (const char* name : {"kineto/kineto-docs-traces/after_fix_trace.json",
                           "kineto/kineto-docs-traces/before_fix_trace.json",
                           "kineto/hta-cuda-event-sync/event_sync_trace.json.gz",
                           "kineto/tracelens-h100-qwen/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
                           "kineto/tracelens-torch-compile-triton/trace.json.gz"}) {
    INFO(name);
    const TraceDb db = Open(name);
    for (const Detector& detector : tools::detectors::AllDetectors()) {
      for (const Finding& finding : FindingsOf(db, detector.name))
        CHECK(finding.severity == Severity::kInfo);
    }
  }
}

TEST_CASE("findings: evidence queries give the numbers on traces of other kinds", "[shared]") {
  for (const char* name : {"kineto/kineto-tb-resnet50-autograd-api/worker0.pt.trace.json.gz",
                           "kineto/hta-df-index-resolver/df_index_resolver.json.gz"}) {
    INFO(name);
    CHECK(CheckAllEvidence(Open(name)) >= 2);
  }
}

TEST_CASE("findings and chains: default answers fit into 1,500 tokens", "[shared]") {
  for (const char* name : {kDataloader, kEmptyCache, kNode01, kNode02, kResnet}) {
    const TraceDb db = Open(name);
    for (const char* tool : {"get_findings", "get_causal_chains"}) {
      INFO(name << " " << tool);
      CHECK(RenderText(Ask(db, tool)).size() <= kDefaultAnswerChars);
    }
  }
}

TEST_CASE("chains dataloader: B is one thread on a core, C ends where wake-ups are missing",
          "[shared]") {
  const TraceDb db = Open(kDataloader);

  const Json chains = Json::parse(RenderJson(Ask(db, "get_causal_chains")))["chains"];

  REQUIRE(chains.size() == 2);
  CHECK(chains[0]["severity"] == "HIGH");
  CHECK(Has(chains[0].dump(), "on a core at +0.641 s..+50.243 s"));
  CHECK(chains[1]["severity"] == "MEDIUM");
  CHECK(Has(chains[1].dump(), "overlap in time only"));
  CHECK(Has(chains[1].dump(), "needs kernel scheduling rows (sched_switch with reason and waker)"));
}

}  // namespace
}  // namespace gpuwhy
