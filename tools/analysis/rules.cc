// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gpuwhy::rules {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1'000'000'000;
constexpr std::array<int64_t, 17> kTimeoutsNs = {
    10 * kMs,     20 * kMs,     25 * kMs,     50 * kMs,     100 * kMs,   200 * kMs,
    250 * kMs,    500 * kMs,    kSecond,      2 * kSecond,  3 * kSecond, 5 * kSecond,
    10 * kSecond, 15 * kSecond, 20 * kSecond, 30 * kSecond, 60 * kSecond};
// A timer fires late by its slack and a wake-up, never early. 5,003.85 ms for 5 s has been seen.
constexpr int64_t kTimerSlackNs = 100'000;
constexpr double kTimerSlackRatio = 0.002;

constexpr int64_t kMinSleeps = 10;
constexpr double kSleepSpreadRatio = 0.02;
constexpr double kSleepTimeRatio = 0.8;

constexpr double kFeederRatio = 0.05;
constexpr int64_t kMinSizeSamples = 10;
constexpr double kMinRSquared = 0.9;
constexpr int64_t kQueueAtWorkNs = 20'000;
constexpr double kBusyCpuPct = 85;
constexpr double kIoExplainsRatio = 0.05;
constexpr double kIoClearedRatio = 0.01;
constexpr double kBusyRatio = 0.85;
constexpr double kStoredRatio = 0.5;
// Launches at the edges of a trace have no device rows either.
constexpr int64_t kEdgeLaunches = 10;

// The median rate of those that are not small: small ones cost their latency, whatever their size.
double TypicalRate(std::span<const SizeSample> samples, double mean_bytes) {
  std::vector<double> rates;
  for (const SizeSample& sample : samples) {
    if (static_cast<double>(sample.bytes) < mean_bytes || sample.duration_ns <= 0) continue;
    rates.push_back(static_cast<double>(sample.bytes) * 1e9 /
                    static_cast<double>(sample.duration_ns));
  }
  if (rates.empty()) return 0;
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

double Ratio(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

bool IsTimeoutShaped(int64_t duration_ns) {
  return std::any_of(kTimeoutsNs.begin(), kTimeoutsNs.end(), [&](int64_t timeout_ns) {
    const int64_t late_ns = duration_ns - timeout_ns;
    return late_ns >= 0 && late_ns <= kTimerSlackNs + std::llround(kTimerSlackRatio *
                                                                   static_cast<double>(timeout_ns));
  });
}

bool IsVoluntaryWait(std::string_view reason, int64_t duration_ns) {
  if (reason == "timer" || reason == "sleep") return true;
  return reason == "unknown" && IsTimeoutShaped(duration_ns);
}

SleepLoop FindSleepLoop(std::span<const int64_t> waits_ns) {
  SleepLoop loop;
  int64_t all_ns = 0;
  std::vector<int64_t> shaped;
  for (const int64_t wait_ns : waits_ns) {
    all_ns += wait_ns;
    if (IsTimeoutShaped(wait_ns)) shaped.push_back(wait_ns);
  }
  if (shaped.empty()) return loop;
  const auto middle = shaped.begin() + static_cast<std::ptrdiff_t>(shaped.size() / 2);
  std::nth_element(shaped.begin(), middle, shaped.end());
  loop.typical_ns = *middle;
  const double spread_ns = kSleepSpreadRatio * static_cast<double>(loop.typical_ns);
  for (const int64_t wait_ns : shaped) {
    if (std::abs(static_cast<double>(wait_ns - loop.typical_ns)) > spread_ns) continue;
    ++loop.wait_count;
    loop.total_ns += wait_ns;
  }
  loop.is_loop = loop.wait_count >= kMinSleeps && Ratio(loop.total_ns, all_ns) >= kSleepTimeRatio;
  return loop;
}

bool IsFeeder(std::span<const Feeder> feeders, int64_t thread_id) {
  int64_t all_ns = 0;
  for (const Feeder& feeder : feeders)
    all_ns += feeder.idle_ns;
  return std::any_of(feeders.begin(), feeders.end(), [&](const Feeder& feeder) {
    return feeder.thread_id == thread_id && Ratio(feeder.idle_ns, all_ns) >= kFeederRatio;
  });
}

bool IsWarmUp(const WarmUp& warm_up, int64_t time_ns) {
  return time_ns < warm_up.end_ns;
}

bool SizeFit::EndsTailFinding() const {
  return sample_count >= kMinSizeSamples && r > 0 && r * r >= kMinRSquared;
}

SizeFit FitBySize(std::span<const SizeSample> samples) {
  SizeFit fit{.sample_count = static_cast<int64_t>(samples.size())};
  if (samples.empty()) return fit;
  double sum_bytes = 0;
  double sum_ns = 0;
  for (const SizeSample& sample : samples) {
    sum_bytes += static_cast<double>(sample.bytes);
    sum_ns += static_cast<double>(sample.duration_ns);
  }
  const double mean_bytes = sum_bytes / static_cast<double>(samples.size());
  const double mean_ns = sum_ns / static_cast<double>(samples.size());
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const SizeSample& sample : samples) {
    const double x = static_cast<double>(sample.bytes) - mean_bytes;
    const double y = static_cast<double>(sample.duration_ns) - mean_ns;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  if (xx > 0 && yy > 0) fit.r = xy / std::sqrt(xx * yy);
  fit.bytes_per_s = TypicalRate(samples, mean_bytes);
  return fit;
}

int64_t IdleCausedBySync(int64_t sync_end_ns, const Intervals& idle) {
  const auto after = std::upper_bound(
      idle.begin(), idle.end(), sync_end_ns,
      [](int64_t time_ns, const Interval& interval) { return time_ns < interval.start_ns; });
  if (after == idle.begin()) return 0;
  const int64_t idle_ns = std::prev(after)->end_ns - sync_end_ns;
  return idle_ns < kQueueAtWorkNs ? 0 : idle_ns;
}

CoreWait ClassifyCoreWait(int64_t runnable_ns, std::optional<double> cpu_busy_pct) {
  if (runnable_ns <= 0) return CoreWait::kNone;
  if (!cpu_busy_pct) return CoreWait::kUnknown;
  return *cpu_busy_pct >= kBusyCpuPct ? CoreWait::kContention : CoreWait::kQuotaOrMask;
}

bool IoExplainsIdle(int64_t blocked_ns, int64_t idle_ns) {
  return Ratio(blocked_ns, idle_ns) >= kIoExplainsRatio;
}

bool IoIsCleared(int64_t blocked_ns, int64_t idle_ns) {
  return Ratio(blocked_ns, idle_ns) < kIoClearedRatio;
}

bool IsBusyEnough(int64_t busy_ns, int64_t span_ns) {
  return Ratio(busy_ns, span_ns) >= kBusyRatio;
}

bool IsMostlyCollective(int64_t collective_ns, int64_t busy_ns) {
  return Ratio(collective_ns, busy_ns) >= kStoredRatio;
}

bool HasLostDeviceRows(int64_t launch_count, int64_t device_op_count) {
  return launch_count > kEdgeLaunches && Ratio(device_op_count, launch_count) < kStoredRatio;
}

bool CanTrustGaps(int64_t stored_count, int64_t counted_count) {
  return counted_count == 0 || Ratio(stored_count, counted_count) >= kStoredRatio;
}

bool IsRecorder(std::string_view process_name) {
  return process_name.starts_with("gpuwhy") || process_name.starts_with("ingero");
}

bool IsJournal(std::string_view process_name) {
  return process_name.starts_with("jbd2/") || process_name.starts_with("xfsaild/");
}

std::string TextOf(const CounterTest& test) {
  std::string_view outcome = "not observed";
  if (test.outcome == CounterTest::Outcome::kHeld) outcome = "holds";
  if (test.outcome == CounterTest::Outcome::kFailed) outcome = "fails";
  return fmt::format("{}: {} ({})", test.expectation, test.observation, outcome);
}

int64_t Unexplained(int64_t total_ns, std::span<const int64_t> parts_ns) {
  for (const int64_t part_ns : parts_ns)
    total_ns -= part_ns;
  return std::max<int64_t>(total_ns, 0);
}

Severity Bound(Severity severity, const Bounds& bounds) {
  const bool is_defended =
      !bounds.is_overlap_only && !bounds.is_collector_missing && bounds.has_counter_test;
  return is_defended ? severity : std::min(severity, Severity::kMedium);
}

}  // namespace gpuwhy::rules
