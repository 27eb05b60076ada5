// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/timestamp.h"

#include <chrono>

#include "collectors/process/number_text.h"
#include "collectors/text/trim.h"
#include "schema/base/text.h"

namespace gpuwhy::telemetry {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int kLastYear = 2261;  // the last whole one that 64 bits of nanoseconds hold

// Exactly `count` digits.
std::optional<int> TakeDigits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

// Digits behind a point, in units of 1e-9; digits below that are cut off. 0 without a point.
int64_t TakeFraction(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !IsDigit(text[1])) return 0;
  text.remove_prefix(1);
  int64_t nanos = 0;
  for (int64_t place = kNsPerSecond / 10; !text.empty() && IsDigit(text[0]); place /= 10) {
    nanos += place * (text[0] - '0');
    text.remove_prefix(1);
  }
  return nanos;
}

// "2024-03-01", "2024/03/01" or "20240301" as days since the epoch.
std::optional<int64_t> TakeDate(std::string_view& text) {
  const auto year = TakeDigits(text, 4);
  const bool has_separators = text.starts_with('-') || text.starts_with('/');
  const char separator = has_separators ? text[0] : '\0';
  if (has_separators) text.remove_prefix(1);
  const auto month = TakeDigits(text, 2);
  if (has_separators && !TakeChar(text, separator)) return std::nullopt;
  const auto day = TakeDigits(text, 2);
  if (!year || !month || !day || *year < 1970 || *year > kLastYear) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<int64_t> TakeTimeOfDay(std::string_view& text) {
  const auto hour = TakeDigits(text, 2);
  if (!TakeChar(text, ':')) return std::nullopt;
  const auto minute = TakeDigits(text, 2);
  if (!TakeChar(text, ':')) return std::nullopt;
  const auto second = TakeDigits(text, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const int64_t seconds = (int64_t{*hour} * 60 + *minute) * 60 + *second;
  return seconds * kNsPerSecond + TakeFraction(text);
}

// "Z", "UTC", "+01:00", "-0730", "+02": seconds ahead of UTC.
std::optional<int64_t> TakeZone(std::string_view text) {
  if (text == "Z" || text == "z" || text == "UTC" || text == "GMT") return 0;
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int64_t sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = TakeDigits(text, 2);
  TakeChar(text, ':');
  const auto minutes = text.empty() ? std::optional(0) : TakeDigits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (int64_t{*hours} * 60 + *minutes) * 60;
}

int64_t GuessUnit(int64_t number) {
  if (number >= 100'000'000'000'000'000) return 1;
  if (number >= 100'000'000'000'000) return 1'000;
  return number >= 100'000'000'000 ? 1'000'000 : kNsPerSecond;
}

}  // namespace

std::optional<DateTime> ParseDateTime(std::string_view text) {
  text = Trim(text);
  const auto day = TakeDate(text);
  if (!day || text.empty() || (text[0] != 'T' && text[0] != ' ')) return std::nullopt;
  text = Trim(text.substr(1));
  const auto in_day_ns = TakeTimeOfDay(text);
  if (!in_day_ns) return std::nullopt;
  text = Trim(text);
  const bool has_zone = !text.empty();
  const auto ahead_s = has_zone ? TakeZone(text) : std::optional<int64_t>(0);
  if (!ahead_s) return std::nullopt;
  const int64_t time_ns = (*day * kSecondsPerDay - *ahead_s) * kNsPerSecond + *in_day_ns;
  return time_ns < 0 ? std::nullopt : std::optional(DateTime{time_ns, has_zone});
}

std::optional<int64_t> ParseTimeOfDay(std::string_view text) {
  text = Trim(text);
  const auto in_day_ns = TakeTimeOfDay(text);
  return text.empty() ? in_day_ns : std::nullopt;
}

std::optional<int64_t> ParseUnixTime(std::string_view text, int64_t unit_ns) {
  text = Trim(text);
  if (text.empty() || !IsDigit(text[0])) return std::nullopt;
  const auto whole = TakeNumber<int64_t>(text);
  if (!whole) return std::nullopt;
  if (unit_ns == 0) unit_ns = GuessUnit(*whole);
  // Billionths of a unit, which is one nanosecond for seconds and less for smaller units.
  const int64_t part_ns = TakeFraction(text) / (kNsPerSecond / unit_ns);
  int64_t time_ns = 0;
  if (!text.empty() || __builtin_mul_overflow(*whole, unit_ns, &time_ns) ||
      __builtin_add_overflow(time_ns, part_ns, &time_ns)) {
    return std::nullopt;
  }
  return time_ns;
}

}  // namespace gpuwhy::telemetry
