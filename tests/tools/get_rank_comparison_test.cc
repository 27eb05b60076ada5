// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/device_trace.h"
#include "tools/analysis/ranks.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kTool = "get_rank_comparison";

// One all-reduce of ranks 0 to 2 (pids 10 to 12) that ends at `end_ns` for all.
void AddAllReduce(TraceBuilder& trace, const std::vector<int64_t>& starts_ns, int64_t end_ns) {
  for (size_t rank = 0; rank < starts_ns.size(); ++rank) {
    AddOp(trace, 10 + static_cast<int64_t>(rank),
          {.name = "ncclDevKernel_AllReduce",
           .start_ns = starts_ns[rank],
           .duration_ns = end_ns - starts_ns[rank],
           .device_index = static_cast<int64_t>(rank)});
  }
}

void NameRanks(TraceBuilder& trace) {
  for (int64_t rank = 0; rank < 3; ++rank)
    trace.recorder().SetProcess(trace.recorder().ProcessOf(10 + rank), {.rank = rank});
}

// Rank 1 comes 300 later than the others to four of five, its device idle before.
void FillStraggler(TraceBuilder& trace) {
  for (int64_t i = 0; i < 5; ++i) {
    const int64_t at_ns = i * 1000;
    for (int64_t rank = 0; rank < 3; ++rank)
      AddOp(trace, 10 + rank,
            {.name = "gemm", .start_ns = at_ns, .duration_ns = 400, .device_index = rank});
    AddAllReduce(trace, {at_ns + 400, at_ns + (i == 4 ? 390 : 700), at_ns + 410}, at_ns + 900);
  }
  NameRanks(trace);
}

}  // namespace

TEST_CASE("get_rank_comparison: the rank that the others wait for is named, and why", "[tools]") {
  const BuiltTrace trace(&FillStraggler);

  const Json answer = trace.AskJson(kTool);
  const Json late = answer["collective_skew"][1];

  REQUIRE(answer["ranks"].size() == 3);
  CHECK(late["rank"] == "rank 1");
  CHECK(late["last_count"] == 4);
  CHECK(late["last_pct"] == 80.0);
  CHECK(late["caused_ns"] == 1200);
  CHECK(late["waited_ns"] == 20);
  CHECK(answer["collective_skew"][0]["waited_ns"] == 1210);
  const std::string headline = answer["headline"];
  CHECK(headline.find("rank 1 arrives last in 80 % of them") != std::string::npos);
  CHECK(headline.find("get_gpu_idle_causes process=11") != std::string::npos);
}

TEST_CASE("get_rank_comparison: activity of each rank by itself", "[tools]") {
  const BuiltTrace trace(&FillStraggler);

  const Json rank = trace.AskJson(kTool)["ranks"][1];

  CHECK(rank["pid"] == 11);
  CHECK(rank["span_ns"] == 4900);
  CHECK(rank["compute_ns"] == 2000);
  CHECK(rank["comm_ns"] == 4 * 200 + 510);
  CHECK(rank["comm_exposed_ns"] == 4 * 200 + 500);
  CHECK(rank["idle_ns"] == 4900 - 2000 - 1300);
}

TEST_CASE("get_rank_comparison: a clock that is ahead is set right by the ends", "[tools]") {
  std::vector<RankWork> ranks(3);
  for (int64_t rank = 0; rank < 3; ++rank)
    ranks[static_cast<size_t>(rank)].capture_id = rank;
  for (int64_t i = 0; i < 9; ++i) {
    const auto add = [&](size_t rank, int64_t start_ns, int64_t end_ns) {
      DeviceOp op{.start_ns = i * 1000 + start_ns, .end_ns = i * 1000 + end_ns};
      op.kernel_class = KernelClass::kComm;
      ranks[rank].ops.push_back(op);
    };
    add(0, 0, 100);
    add(1, 5, 100);
    add(2, 50'002, 50'100);
  }

  const CollectiveFacts facts = CompareCollectives(ranks);

  REQUIRE(facts.collectives.size() == 9);
  CHECK(facts.ranks[2].clock_offset_ns == 50'000);
  CHECK(facts.ranks[0].clock_offset_ns == 0);
  CHECK(facts.ranks[1].last_count == 9);
  CHECK(facts.ranks[1].caused_ns == 45);
}

TEST_CASE("get_rank_comparison: kernels that are no collectives are left out and said so",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    for (int64_t i = 0; i < 6; ++i) {
      // A pipeline: the second stage receives long after the first has sent.
      AddOp(builder, 10, {"ncclDevKernel_SendRecv", i * 100, 10});
      AddOp(builder, 11, {"ncclDevKernel_SendRecv", (i + i % 2) * 100 + 50, 10});
    }
    AddOp(builder, 10, {"ncclDevKernel_Broadcast", 900, 10});
  });

  const Answer answer = trace.Ask(kTool);
  const std::string text = RenderText(answer);

  CHECK(answer.headline.find("no collective of all of them was found") != std::string::npos);
  CHECK(text.find("12 communication kernels are not compared: those of one name") !=
        std::string::npos);
  CHECK(text.find("1 communication kernels are not compared: not all ranks ran them") !=
        std::string::npos);
}

TEST_CASE("get_rank_comparison: a trace that misses some kernels is paired by time", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    for (int64_t i = 0; i < 8; ++i) {
      const int64_t at_ns = i * 1000;
      // The first rank's trace begins later.
      if (i > 1) AddOp(builder, 10, {"ncclDevKernel_AllReduce", at_ns + 20, 80});
      AddOp(builder, 11, {"ncclDevKernel_AllReduce", at_ns, 100, -1, 1});
    }
  });

  const Answer answer = trace.Ask(kTool);
  const Json skew = Json::parse(RenderJson(answer))["collective_skew"];

  CHECK(skew[0]["last_count"] == 6);
  CHECK(skew[0]["caused_ns"] == 120);
  CHECK(RenderText(answer).find("2 communication kernels are not compared") != std::string::npos);
}

TEST_CASE("get_rank_comparison: several late ranks are named in turn", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    for (int64_t i = 0; i < 6; ++i)
      AddAllReduce(builder,
                   {i * 1000 + (i % 3 == 0 ? 200 : 0), i * 1000 + (i % 3 == 1 ? 100 : 0),
                    i * 1000 + (i % 3 == 2 ? 1 : 0)},
                   i * 1000 + 500);
    NameRanks(builder);
  });

  const std::string headline = trace.Ask(kTool).headline;

  CHECK(headline.find("these in turn: rank 0 (last in 33.3 %, the first waited 400 ns), rank 1 "
                      "(last in 33.3 %, the first waited 200 ns); rank 0: ") != std::string::npos);
}

TEST_CASE("get_rank_comparison: even ranks have no straggler, one rank nothing to compare",
          "[tools]") {
  const BuiltTrace even([](TraceBuilder& builder) {
    for (int64_t i = 0; i < 6; ++i)
      AddAllReduce(builder,
                   {i * 1000 + (i % 3 == 0 ? 2 : 0), i * 1000 + (i % 3 == 1 ? 2 : 0),
                    i * 1000 + (i % 3 == 2 ? 2 : 0)},
                   i * 1000 + 500);
  });
  const BuiltTrace single([](TraceBuilder& builder) { AddOp(builder, 10, {"k", 0, 10}); });

  CHECK(even.Ask(kTool).headline.find("no rank keeps the others waiting") != std::string::npos);
  CHECK(single.Ask(kTool).headline.find("Only one rank is in this trace") == 0);
}

}  // namespace gpuwhy
