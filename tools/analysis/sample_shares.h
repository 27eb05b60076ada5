// SPDX-License-Identifier: Apache-2.0
// What threads were doing, by class of their stack samples. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/analysis/sample_class.h"
#include "tools/support/window.h"

namespace gpuwhy {

struct SampleShare {
  SampleClass sample_class;
  int64_t sample_count = 0;
};

// The largest first; of the window and of processes that `has_process` takes.
Result<std::vector<SampleShare>> SharesOfSamples(
    const TraceDb& db, const Window& window,
    const std::function<bool(int64_t process_id)>& has_process);

}  // namespace gpuwhy
