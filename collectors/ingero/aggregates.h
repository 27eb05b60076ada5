// SPDX-License-Identifier: Apache-2.0
// Converts table event_aggregates, the only unbiased numbers of an Ingero file, into latency rows,
// after holding them against the rows:
// - fewer rows than "stored": rows are missing, counted as lost;
// - more rows than "stored": a late event overwrote the minute (INSERT OR REPLACE of a part). What
//   was counted but not stored in the surviving part comes on top of the rows: a lower bound.
// Buckets are minutes of Ingero's timestamp, which for context switches and I/O is their end.
#pragma once

#include <cstdint>

#include "collectors/ingero/actors.h"
#include "collectors/ingero/op_table.h"
#include "collectors/ingero/row_statistics.h"

namespace gpuwhy::ingero {

struct AggregateTotals {
  int64_t event_count = 0;     // as the file says
  int64_t stored_count = 0;    // as the file says
  int64_t unstored_count = 0;  // events that are not rows
};

// The writer of latency rows for one node; fields must outlive the call.
struct AggregateTarget {
  Recorder& recorder;
  Actors& actors;
  OpTable& ops;
  RowStatistics& rows;
};

Result<bool> HasAggregates(const SourceFile& file);
// Call after all rows are in, with roll-ups from rows disabled.
Result<AggregateTotals> ConvertAggregates(const SourceFile& file, AggregateTarget target);

}  // namespace gpuwhy::ingero
