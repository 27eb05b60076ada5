// SPDX-License-Identifier: Apache-2.0
// The parameters process and gpu, resolved to row ids.
#pragma once

#include <cstdint>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"
#include "tools/params.h"

namespace gpuwhy {

// "Only this device: its index." Sessions of several ranks have a device 0 each.
Param GpuParam();

// Every incarnation of the pid or name in parameter `process`; empty when it is not given.
// kNotFound names the processes there are.
Result<std::vector<int64_t>> ResolveProcesses(const TraceDb& db, const Params& params);
// Every device with the index in parameter `gpu`; empty when it is not given.
Result<std::vector<int64_t>> ResolveGpus(const TraceDb& db, const Params& params);

}  // namespace gpuwhy
