// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/rules.h"

#include <vector>

#include "tests/catch.h"

namespace gpuwhy::rules {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST_CASE("R1: waits just above a round time-out are voluntary", "[rules]") {
  CHECK(IsTimeoutShaped(5'000'060'000));
  CHECK(IsTimeoutShaped(5'003'850'000));
  CHECK(IsTimeoutShaped(50'060'000));
  CHECK_FALSE(IsTimeoutShaped(4'999'900'000));   // timers never fire early
  CHECK_FALSE(IsTimeoutShaped(18'124'200'000));  // round to nothing
  CHECK_FALSE(IsTimeoutShaped(5'087'500));       // CPython's lock hand-over, not a sleep
  CHECK(IsVoluntaryWait("timer", 1));
  CHECK(IsVoluntaryWait("unknown", 50'060'000));
  CHECK_FALSE(IsVoluntaryWait("io", 50'060'000));
}

TEST_CASE("R1: a thread that waits 50 ms again and again is a sleep loop", "[rules]") {
  std::vector<int64_t> waits(62, 50'060'000);
  waits.push_back(3 * kMs);

  const SleepLoop loop = FindSleepLoop(waits);

  CHECK(loop.is_loop);
  CHECK(loop.wait_count == 62);
  CHECK(loop.typical_ns == 50'060'000);
  CHECK(loop.total_ns == 62 * int64_t{50'060'000});
}

TEST_CASE("R1: one time-out among many short waits is no sleep loop", "[rules]") {
  std::vector<int64_t> waits(29'956, 100'000);
  waits.push_back(5'000'060'000);

  CHECK_FALSE(FindSleepLoop(waits).is_loop);
  CHECK_FALSE(FindSleepLoop({}).is_loop);
}

TEST_CASE("R2: a thread that ends hardly any gap is no feeder", "[rules]") {
  const std::vector<Feeder> feeders = {{.thread_id = 1, .idle_ns = 99},
                                       {.thread_id = 2, .idle_ns = 1}};

  CHECK(IsFeeder(feeders, 1));
  CHECK_FALSE(IsFeeder(feeders, 2));
  CHECK_FALSE(IsFeeder(feeders, 3));
}

TEST_CASE("R3: warm-up ends where it ends", "[rules]") {
  CHECK(IsWarmUp({.end_ns = 100}, 99));
  CHECK_FALSE(IsWarmUp({.end_ns = 100}, 100));
}

TEST_CASE("R4: durations proportional to bytes end the tail finding", "[rules]") {
  std::vector<SizeSample> samples;
  for (int64_t i = 1; i <= 20; ++i)
    samples.push_back({.bytes = i * 1'000'000, .duration_ns = i * 100'000});

  const SizeFit fit = FitBySize(samples);

  CHECK(fit.EndsTailFinding());
  CHECK(fit.r == Approx(1.0));
  CHECK(fit.bytes_per_s == Approx(1e10));
}

TEST_CASE("R4: equal sizes, few samples and slower small copies explain nothing", "[rules]") {
  CHECK_FALSE(
      FitBySize(std::vector<SizeSample>(20, {.bytes = 4096, .duration_ns = 7})).EndsTailFinding());
  CHECK_FALSE(FitBySize(std::vector<SizeSample>{{1, 1}, {2, 2}}).EndsTailFinding());
  std::vector<SizeSample> inverse;
  for (int64_t i = 1; i <= 20; ++i)
    inverse.push_back({.bytes = i, .duration_ns = 100 - i});
  CHECK_FALSE(FitBySize(inverse).EndsTailFinding());
}

TEST_CASE("R5: a sync costs the idle time from its end to the next operation", "[rules]") {
  const Intervals idle = {{1000, 501'000}, {900'000, 910'000}};

  CHECK(IdleCausedBySync(101'000, idle) == 400'000);
  CHECK(IdleCausedBySync(1000, idle) == 500'000);
  CHECK(IdleCausedBySync(600'000, idle) == 0);  // the device was busy
  CHECK(IdleCausedBySync(905'000, idle) == 0);  // busy again within 20 us
  CHECK(IdleCausedBySync(5, {}) == 0);
}

TEST_CASE("R6: runnable beside an idle CPU is a quota or a mask", "[rules]") {
  CHECK(ClassifyCoreWait(0, 100) == CoreWait::kNone);
  CHECK(ClassifyCoreWait(1, 97) == CoreWait::kContention);
  CHECK(ClassifyCoreWait(1, 40) == CoreWait::kQuotaOrMask);
  CHECK(ClassifyCoreWait(1, {}) == CoreWait::kUnknown);
}

TEST_CASE("R7: I/O below 5 % of idle time is no cause and below 1 % cleared", "[rules]") {
  CHECK(IoExplainsIdle(5, 100));
  CHECK_FALSE(IoExplainsIdle(4, 100));
  CHECK_FALSE(IoIsCleared(4, 100));
  CHECK(IoIsCleared(9, 1000));
  CHECK_FALSE(IoExplainsIdle(5, 0));
}

TEST_CASE("R8: 85 % busy is not starved, half collective is not fed", "[rules]") {
  CHECK(IsBusyEnough(85, 100));
  CHECK_FALSE(IsBusyEnough(84, 100));
  CHECK(IsMostlyCollective(60, 100));
  CHECK_FALSE(IsMostlyCollective(10, 100));
}

TEST_CASE("R9: launches without device rows and unstored calls refuse accounting", "[rules]") {
  CHECK(HasLostDeviceRows(1000, 0));
  CHECK_FALSE(HasLostDeviceRows(1000, 990));
  CHECK_FALSE(HasLostDeviceRows(3, 0));
  CHECK(CanTrustGaps(115, 170));
  CHECK_FALSE(CanTrustGaps(3244, 66'000));
  CHECK(CanTrustGaps(10, 0));
}

TEST_CASE("R10: recorders and journals are not causes", "[rules]") {
  CHECK(IsRecorder("gpuwhy"));
  CHECK(IsRecorder("ingero"));
  CHECK(IsJournal("jbd2/nvme0n1p1-8"));
  CHECK_FALSE(IsRecorder("python3"));
  CHECK_FALSE(IsJournal("systemd-journal"));
}

TEST_CASE("R11: a counter-test is told with its outcome", "[rules]") {
  CHECK(TextOf({.expectation = "if A, B would show",
                .observation = "B is absent",
                .outcome = CounterTest::Outcome::kHeld}) ==
        "if A, B would show: B is absent (holds)");
}

TEST_CASE("R12: what parts do not explain is named, and HIGH needs proof", "[rules]") {
  CHECK(Unexplained(100, std::vector<int64_t>{60, 30}) == 10);
  CHECK(Unexplained(100, std::vector<int64_t>{101}) == 0);
  CHECK(Bound(Severity::kHigh, {}) == Severity::kHigh);
  CHECK(Bound(Severity::kHigh, {.is_overlap_only = true}) == Severity::kMedium);
  CHECK(Bound(Severity::kHigh, {.is_collector_missing = true}) == Severity::kMedium);
  CHECK(Bound(Severity::kHigh, {.has_counter_test = false}) == Severity::kMedium);
  CHECK(Bound(Severity::kInfo, {.is_overlap_only = true}) == Severity::kInfo);
}

}  // namespace
}  // namespace gpuwhy::rules
