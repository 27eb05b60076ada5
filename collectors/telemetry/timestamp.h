// SPDX-License-Identifier: Apache-2.0
// Times as telemetry files write them, exact to the nanosecond: dates with and without a zone,
// times of a day, and numbers. Nothing for a text that is none of them or is before 1970 or after
// 2261. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuwhy::telemetry {

struct DateTime {
  int64_t time_ns = 0;  // since the Unix epoch; without a zone, as if it were UTC
  bool has_zone = false;
};

// "2024-03-01T12:34:56.789Z", "2024/03/01 12:34:56.789", "20240301 12:34:56", "... +01:00".
std::optional<DateTime> ParseDateTime(std::string_view text);

// "12:34:56.789" -> nanoseconds since midnight.
std::optional<int64_t> ParseTimeOfDay(std::string_view text);

// "1709296496.789": in units of `unit_ns` (1, 1e3, 1e6 or 1e9); 0 tells by the size of the number
// whether it means seconds, milliseconds, microseconds or nanoseconds.
std::optional<int64_t> ParseUnixTime(std::string_view text, int64_t unit_ns = 0);

}  // namespace gpuwhy::telemetry
