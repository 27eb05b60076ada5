// SPDX-License-Identifier: Apache-2.0
// Training or inference steps, from ProfilerStep#N ranges on the host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/base/result.h"
#include "schema/trace_db.h"

namespace gpuwhy {

struct Step {
  std::string name;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t thread_id = 0;
};

// Ascending by start; of the whole trace. Copies of the ranges on the device side are left out.
Result<std::vector<Step>> LoadSteps(const TraceDb& db);

// Nearest-rank median; 0 for none.
int64_t MedianStepNs(const std::vector<Step>& steps);

}  // namespace gpuwhy
