// SPDX-License-Identifier: Apache-2.0
// The time of each row of a telemetry table, in nanoseconds since the Unix epoch. What had to be
// assumed about it (zone, date, start) is counted once. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collectors/recorder.h"

namespace gpuwhy::telemetry {

class RowClock {
 public:
  explicit RowClock(Recorder& recorder) : recorder_(recorder) {}

  // `date` may be empty. `unit_ns` is that of a number; 0: its size tells. Nothing when the text is
  // no time.
  std::optional<int64_t> TimeOf(std::string_view date, std::string_view time, int64_t unit_ns);
  // Of the row with this number where a table has no times.
  int64_t MadeUpTime(int64_t row_number);

 private:
  int64_t OnDay(int64_t in_day_ns);

  Recorder& recorder_;
  int64_t day_ns_ = 0;  // start of the day of the last row, for times without a date
  int64_t last_in_day_ns_ = 0;
};

}  // namespace gpuwhy::telemetry
