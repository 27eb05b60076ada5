// SPDX-License-Identifier: Apache-2.0
// The walk from a thread and an interval back through who woke it and who took its core.
#pragma once

#include <vector>

#include "tools/analysis/chains.h"

namespace gpuwhy {

struct Walk {
  std::vector<ChainLink> links;  // the thread first, then backwards to the root
  std::string ending;
  bool is_complete = false;  // the root was observed
};

Result<Walk> WalkBack(const TraceFacts& facts, int64_t thread_id, Interval interval);

}  // namespace gpuwhy
