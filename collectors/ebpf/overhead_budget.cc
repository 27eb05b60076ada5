// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/overhead_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpuwhy {
namespace {

constexpr int kPatienceSeconds = 3;
constexpr double kWorthwhileShare = 0.01;  // of all cost: less is not worth losing something for
constexpr unsigned kSlowDown = 7;          // of sampling
constexpr uint64_t kLongWaitNs = 1'000'000;
constexpr std::string_view kAdvice = "raise --overhead-budget to keep it";

constexpr LossKind Shed(std::string_view name, std::string_view description) {
  return {name, LossSeverity::kDataLoss, description, kAdvice};
}

struct Step {
  LossKind loss;
  CostPart part;  // whose cost it lowers
  void (*take)(KernelProbes& probes);
};

// The least useful first.
constexpr Step kSteps[] = {
    {Shed("shed_queries",
          "to keep the overhead budget, event and stream queries and event records are no longer "
          "recorded"),
     CostPart::kQueries, [](KernelProbes& probes) { probes.Shed(ProbeGroup::kQueries); }},
    {Shed("shed_objects",
          "to keep the overhead budget, making and destroying streams and events is no longer "
          "recorded"),
     CostPart::kObjects, [](KernelProbes& probes) { probes.Shed(ProbeGroup::kObjects); }},
    {Shed("shed_fills",
          "to keep the overhead budget, memset, prefetch and advice are no longer recorded"),
     CostPart::kFills, [](KernelProbes& probes) { probes.Shed(ProbeGroup::kFills); }},
    {Shed("shed_samples", "to keep the overhead budget, stacks are sampled seven times less often"),
     CostPart::kSamples,
     [](KernelProbes& probes) {
       probes.SetSampleHz(std::max(probes.sample_hz() / kSlowDown, 1U));
     }},
    {Shed("shed_wait_stacks", "to keep the overhead budget, waits have no stacks any more"),
     CostPart::kSwitches, [](KernelProbes& probes) { probes.ShedOffCpuStacks(); }},
    {Shed("shed_short_waits",
          "to keep the overhead budget, waits below 1 ms are no longer rows; roll-ups count them"),
     CostPart::kSwitches, [](KernelProbes& probes) { probes.ShedOffCpuRowsBelow(kLongWaitNs); }},
};

}  // namespace

void OverheadBudget::Judge(const SecondCost& cost, int64_t time_ns) {
  const bool is_above = limit_pct_ > 0 && cost.target_pct && *cost.target_pct > limit_pct_;
  seconds_above_ = is_above ? seconds_above_ + 1 : 0;
  if (seconds_above_ < kPatienceSeconds) return;
  seconds_above_ = 0;
  ShedNext(cost, time_ns);
}

void OverheadBudget::ShedNext(const SecondCost& cost, int64_t time_ns) {
  for (const Step& step : kSteps) {
    const bool is_taken = std::find(shed_.begin(), shed_.end(), step.loss.name) != shed_.end();
    if (is_taken || cost.NsOf(step.part) < kWorthwhileShare * cost.TotalNs()) continue;
    step.take(probes_);
    shed_.push_back(step.loss.name);
    recorder_.MarkSelective();
    recorder_.Count(step.loss, 1, time_ns,
                    fmt::format("at {:.1f} % of the processes' CPU time, {} % allowed",
                                cost.target_pct.value_or(0), limit_pct_));
    return;
  }
}

}  // namespace gpuwhy
