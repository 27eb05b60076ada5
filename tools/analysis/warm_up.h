// SPDX-License-Identifier: Apache-2.0
// Until when first calls, module loads and the first step distort a trace (ruling-out rule R3).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/analysis/rows.h"
#include "tools/support/window.h"

namespace gpuwhy {

struct WarmUp {
  int64_t end_ns = 0;  // start of the trace when nothing looks like warm-up
  std::string_view reason;
};

// The end of the first of several ProfilerStep ranges; else of the last first call that was much
// slower than later calls of its name, within the first quarter of the trace.
Result<WarmUp> FindWarmUpEnd(const TraceDb& db, const std::vector<HostCall>& calls,
                             const Window& window);

}  // namespace gpuwhy
