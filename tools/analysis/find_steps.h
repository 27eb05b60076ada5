// SPDX-License-Identifier: Apache-2.0
// What one training or inference step is in a trace (F9): the profiler's own marks, a range that
// the user names, a range that repeats without overlap over most of a thread's time, or the ends of
// the optimizer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "tools/analysis/steps.h"

namespace gpuwhy {

struct StepSet {
  std::string source;  // "ProfilerStep", the name of the range with # for its number, ...
  std::vector<Step> steps;
};

// `wanted`: a range's name, whatever its number; empty to find the steps. No steps are no error
// unless they were asked for by name.
Result<StepSet> FindSteps(const TraceDb& db, std::string_view wanted);

// "step 12" and "step 7" are both "step #".
std::string WithoutNumbers(std::string_view name);

}  // namespace gpuwhy
