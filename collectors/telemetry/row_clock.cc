// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/row_clock.h"

#include <fmt/format.h>

#include "collectors/telemetry/losses.h"
#include "collectors/telemetry/timestamp.h"
#include "schema/base/saturating.h"

namespace gpuwhy::telemetry {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kDayNs = 86'400 * kSecondNs;
// Smaller numbers are no Unix times: nobody measured GPUs before 1973.
constexpr int64_t kFirstUnixTimeNs = 100'000'000 * kSecondNs;

}  // namespace

std::optional<int64_t> RowClock::TimeOf(std::string_view date, std::string_view time,
                                        int64_t unit_ns) {
  const auto moment =
      ParseDateTime(date.empty() ? std::string(time) : fmt::format("{} {}", date, time));
  if (moment) {
    if (!moment->has_zone) recorder_.SetLoss(kTimeWithoutZone, 1);
    return moment->time_ns;
  }
  if (!date.empty()) return std::nullopt;
  if (const auto in_day_ns = ParseTimeOfDay(time)) return OnDay(*in_day_ns);
  const auto time_ns = ParseUnixTime(time, unit_ns);
  if (time_ns && *time_ns < kFirstUnixTimeNs) recorder_.SetLoss(kTimeRelative, 1);
  return time_ns;
}

// A clock that jumps back by more than half a day has passed midnight.
int64_t RowClock::OnDay(int64_t in_day_ns) {
  recorder_.SetLoss(kTimeWithoutDate, 1);
  recorder_.SetLoss(kTimeWithoutZone, 1);
  if (in_day_ns < last_in_day_ns_ - kDayNs / 2) day_ns_ = SaturatingAdd(day_ns_, kDayNs);
  last_in_day_ns_ = in_day_ns;
  return SaturatingAdd(day_ns_, in_day_ns);
}

int64_t RowClock::MadeUpTime(int64_t row_number) {
  recorder_.SetLoss(kTimeMadeUp, 1);
  return row_number * kSecondNs;
}

}  // namespace gpuwhy::telemetry
