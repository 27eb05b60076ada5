// SPDX-License-Identifier: Apache-2.0
// Loads gpu_op and api_call rows that overlap a window, each table in one pass, ordered by start.
#pragma once

#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/analysis/names.h"
#include "tools/analysis/rows.h"
#include "tools/support/window.h"

namespace gpuwhy {

// sync rows are left out: they are waits of the host, not work of the device.
Result<std::vector<DeviceOp>> LoadDeviceOps(const TraceDb& db, const Names& names,
                                            const Window& window);
// `process_id` is left 0: Actors know it by thread.
Result<std::vector<HostCall>> LoadHostCalls(const TraceDb& db, const Names& names,
                                            const Window& window);

}  // namespace gpuwhy
