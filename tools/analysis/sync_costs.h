// SPDX-License-Identifier: Apache-2.0
// What blocking calls cost: the idle time from the end of a call that drained the device to the
// next operation. Time inside the data loader afterwards is the loader's.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/analysis/idle_picture.h"

namespace gpuwhy {

struct Drain {
  int64_t call_id = 0;
  int32_t name_id = 0;
  int64_t idle_after_ns = 0;
};

struct SyncCosts {
  int64_t sync_count = 0;     // blocking calls, not counting those made inside others
  int64_t host_ns = 0;        // time in them: waiting for a busy device is no loss
  int64_t cost_ns = 0;        // sum of idle_after_ns
  std::vector<Drain> drains;  // the most expensive first
};

// Of the timeline that the picture describes; a device view only.
Result<SyncCosts> SyncCostsOf(const TraceFacts& facts, const IdlePicture& picture);

}  // namespace gpuwhy
