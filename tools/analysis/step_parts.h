// SPDX-License-Identifier: Apache-2.0
// What one step's time went to: on the thread that the step is on, each instant in the first phase
// that holds, so that phases sum to the step; on the device of its process, what it did meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/base/result.h"
#include "tools/analysis/steps.h"
#include "tools/analysis/trace_facts.h"

namespace gpuwhy {

enum class StepPhase : unsigned char {
  kDataLoading,
  kDeviceWait,
  kOptimizer,
  kBackward,
  kForward,
  kOther
};
inline constexpr size_t kStepPhaseCount = 6;

std::string_view KeyOf(StepPhase phase);    // data_loading
std::string_view LabelOf(StepPhase phase);  // "data loading"

// Parts of a step. Device parts lie beside the phases, not among them: they overlap.
struct StepParts {
  Step step;
  int64_t process_id = 0;
  std::array<int64_t, kStepPhaseCount> phase_ns{};
  bool has_device = false;
  int64_t device_busy_ns = 0;
  int64_t comm_exposed_ns = 0;
  int64_t device_op_count = 0;  // begun in the step

  int64_t duration_ns() const { return step.end_ns - step.start_ns; }
  int64_t of(StepPhase phase) const { return phase_ns.at(static_cast<size_t>(phase)); }
};

// Parallel to `steps`. Rows outside of the facts' window count as absent.
Result<std::vector<StepParts>> PartsOfSteps(const TraceFacts& facts,
                                            const std::vector<Step>& steps);

}  // namespace gpuwhy
