// SPDX-License-Identifier: Apache-2.0
// A trace of any size for benchmarks, written through Recorder: two training processes with a
// device each, four loader processes each, 9 ms of waiting for a batch and then launches in every
// step. Of ten rows four are calls, four device operations, one or two ranges, half a switch.
#pragma once

#include <cstdint>
#include <string>

#include "schema/base/result.h"

namespace gpuwhy::bench {

struct GeneratedTrace {
  int64_t row_count = 0;
  double insert_seconds = 0;  // rows and roll-ups, committed
  double index_seconds = 0;
  int64_t size_bytes = 0;
};

Result<GeneratedTrace> GenerateTrace(const std::string& path, int64_t step_count);

// Rows of about the same width into a table without anything around it, as fast as SQLite can: the
// floor. Returns rows per second.
Result<double> BareInsertRate(const std::string& path, int64_t row_count);

inline constexpr int64_t kRowsPerStep = 10'000;

}  // namespace gpuwhy::bench
