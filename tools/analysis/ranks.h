// SPDX-License-Identifier: Apache-2.0
// The ranks of a distributed job in one trace, and what their collectives say about each other: who
// arrives last, who waits for whom, how far their clocks are apart (F13). Pure but for RanksOf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/base/result.h"
#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

// One process with device work.
struct RankWork {
  int64_t process_id = 0;
  int64_t capture_id = 0;  // ranks of one capture share a clock
  int64_t pid = 0;
  std::optional<int64_t> rank;
  std::string label;          // "rank 3", or "pid 144" where the trace does not say
  std::vector<DeviceOp> ops;  // ascending by start
};

// By rank, then pid. Processes without communication are left out when others have some.
Result<std::vector<RankWork>> RanksOf(const TraceFacts& facts);

// One collective: the same kernel of every rank, parallel to the ranks.
struct Collective {
  int32_t name_id = 0;
  std::vector<Interval> of_rank;  // on aligned clocks
};

struct RankSkew {
  int64_t clock_offset_ns = 0;  // what this rank's clock is ahead of the others
  int64_t clock_error_ns = 0;   // half of the ends lie closer to it
  int64_t last_count = 0;       // collectives it entered last
  int64_t caused_ns = 0;        // how long the first waited for it there, added up
  int64_t waited_ns = 0;        // from its own arrival to the last one's, added up
};

struct CollectiveFacts {
  std::vector<Collective> collectives;
  std::vector<RankSkew> ranks;     // parallel to the ranks
  int64_t unpaired_count = 0;      // kernels that not all ranks ran, or not at the same time
  int64_t uncoincident_count = 0;  // kernels of names that do not run together: no collective
};

// Where all ranks ran a kernel equally often, the k-th of each is taken for one collective; else
// (groups of ranks, a cut trace) those that overlap in time. Nearly all of a name must coincide.
CollectiveFacts CompareCollectives(const std::vector<RankWork>& ranks);

}  // namespace gpuwhy
