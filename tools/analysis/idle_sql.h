// SPDX-License-Identifier: Apache-2.0
// Evidence queries for run_sql that give the same numbers as the analyses, with every literal
// written out. Ids only, no text from the trace.
#pragma once

#include <cstdint>
#include <string>

#include "tools/analysis/idle_picture.h"

namespace gpuwhy {

// gap_count and idle_ns as the picture counts them.
std::string IdleSql(const TraceFacts& facts, const IdlePicture& picture);
// The same of gaps of any length from `min_ns` to less than `max_ns`.
struct GapLimits {
  int64_t min_ns = 1;
  int64_t max_ns = INT64_MAX;
};
std::string GapSql(const TraceFacts& facts, View view, GapLimits limits);
// covered_ns: the union of the rows that `rows_sql` selects as (s, e) columns.
std::string UnionSql(const std::string& rows_sql);

}  // namespace gpuwhy
