// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/support/built_trace.h"
#include "tests/support/device_trace.h"

namespace gpuwhy {
namespace {

constexpr std::string_view kTool = "get_causal_chains";
constexpr int64_t kUs = 1'000;

struct WaitSpec {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::string_view reason;
  int64_t waker = 0;
  int64_t preemptor = 0;
};

void AddWait(TraceBuilder& trace, int64_t thread, const WaitSpec& spec) {
  OffCpuRow row{.start_ns = kTraceStart + spec.start_ns, .duration_ns = spec.duration_ns};
  row.thread_id = thread;
  row.reason = spec.reason;
  row.runnable_ns = spec.preemptor != 0 ? spec.duration_ns : 0;
  if (spec.waker != 0) row.waker_thread_id = spec.waker;
  if (spec.preemptor != 0) row.preemptor_thread_id = spec.preemptor;
  trace.recorder().Add(row);
}

// Two kernels with a gap from 2 ms to 102 ms among short steps; thread 10 feeds.
void AddGap(TraceBuilder& trace, int64_t thread) {
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t start_ns = i == 0 ? 0 : (100 + 2 * i) * kMs;
    AddLaunch(trace, {thread, start_ns, 10 * kUs, i});
    AddOp(trace, 10, {"kernel", start_ns, 2 * kMs, i});
  }
}

std::string Lines(const BuiltTrace& trace, const Json& arguments = Json::object()) {
  return RenderText(trace.Ask(kTool, arguments));
}

TEST_CASE("get_causal_chains: follows wake-ups to a thread that was on a core", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    const int64_t worker = builder.Thread(20, 20);
    AddGap(builder, feeder);
    AddWait(builder, feeder, {3 * kMs, 90 * kMs, "lock", worker});
    AddWait(builder, worker, {50 * kMs, kMs, "lock", feeder});
  });

  const std::string text = Lines(trace, {{"gap", 1}});
  INFO(text);

  CHECK(text.find("HIGH chain-1 GPU idle: 100.0 ms at +0.002 s..+0.102 s") != std::string::npos);
  CHECK(text.find("root: process 20 main thread on a core at +0.003 s..+0.093 s: 89.00 ms (89.0 % "
                  "of it) -> woke") != std::string::npos);
  CHECK(text.find("link 2: process 10 main thread blocked: lock at +0.003 s..+0.093 s: 90.00 ms "
                  "(90.0 % of it) -> symptom, same thread; rows off_cpu:1") != std::string::npos);
  CHECK(text.find("needs stack samples") != std::string::npos);
}

TEST_CASE("get_causal_chains: names who took the core", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    const int64_t hog = builder.Thread(66, 66);
    AddGap(builder, feeder);
    AddWait(builder, feeder, {3 * kMs, 90 * kMs, "preempted", 0, hog});
    AddWait(builder, hog, {200 * kMs, kMs, "lock"});
  });

  const std::string text = Lines(trace, {{"gap", 1}});
  INFO(text);

  CHECK(text.find("root: process 66 main thread on a core") != std::string::npos);
  CHECK(text.find("-> took the core of") != std::string::npos);
  CHECK(text.find("link 2: process 10 main thread ready, without a core") != std::string::npos);
}

TEST_CASE("get_causal_chains: ends honestly without a waker, and is then MEDIUM at most",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    AddGap(builder, feeder);
    AddWait(builder, feeder, {3 * kMs, 91 * kMs, "unknown"});
  });

  const std::string text = Lines(trace, {{"gap", 1}});
  INFO(text);

  CHECK(text.find("MEDIUM chain-1") != std::string::npos);
  CHECK(text.find("end: its scheduling rows carry no waker: needs kernel scheduling rows "
                  "(sched_switch with reason and waker)") != std::string::npos);
}

TEST_CASE("get_causal_chains: a wake-up cycle ends after six links", "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    const int64_t other = builder.Thread(20, 20);
    AddGap(builder, feeder);
    AddWait(builder, feeder, {3 * kMs, 90 * kMs, "lock", other});
    AddWait(builder, other, {3 * kMs, 90 * kMs, "lock", feeder});
  });

  const std::string text = Lines(trace, {{"gap", 1}});
  INFO(text);

  CHECK(text.find("link 6:") != std::string::npos);
  CHECK(text.find("link 7:") == std::string::npos);
  CHECK(text.find("cut after 6 links") != std::string::npos);
}

TEST_CASE("get_causal_chains: disks and time-outs end a chain with their class", "[tools]") {
  const BuiltTrace disk([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    AddGap(builder, feeder);
    AddWait(builder, feeder, {3 * kMs, 90 * kMs, "io", builder.Thread(1, 1)});
  });
  const BuiltTrace nap([](TraceBuilder& builder) {
    const int64_t feeder = builder.Thread(10, 10);
    AddGap(builder, feeder);
    AddWait(builder, feeder, {3 * kMs, 90 * kMs, "timer", builder.Thread(1, 1)});
  });

  CHECK(Lines(disk, {{"gap", 1}}).find("waiting for a disk ends the chain") != std::string::npos);
  CHECK(Lines(nap, {{"gap", 1}}).find("a voluntary wait (time-out or sleep) ends the chain") !=
        std::string::npos);
}

TEST_CASE("get_causal_chains: a gap that does not exist is refused with how many there are",
          "[tools]") {
  const BuiltTrace trace([](TraceBuilder& builder) { AddGap(builder, builder.Thread(10, 10)); });

  const auto answer = trace.Run(kTool, {{"gap", 99}});

  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().message == "there is no gap 99: the trace has 1");
}

}  // namespace
}  // namespace gpuwhy
