// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/overhead_meter.h"

#include <sys/resource.h>

#include <numeric>

namespace gpuwhy {
namespace {

// Below a hundredth of a core for a second, the tick of process times is coarser than what it says.
constexpr double kSmallestTargetShare = 0.01;

int64_t NsOf(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
}

int64_t OwnCpuNs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return NsOf(usage.ru_utime) + NsOf(usage.ru_stime);
}

double Percent(double part_ns, int64_t whole_ns) {
  return whole_ns > 0 ? 100.0 * part_ns / static_cast<double>(whole_ns) : 0.0;
}

}  // namespace

CostPart PartOf(ProbeGroup group) {
  switch (group) {
    case ProbeGroup::kQueries:
      return CostPart::kQueries;
    case ProbeGroup::kObjects:
      return CostPart::kObjects;
    case ProbeGroup::kFills:
      return CostPart::kFills;
    case ProbeGroup::kEssential:
    case ProbeGroup::kOwn:
      return CostPart::kCalls;
  }
  return CostPart::kCalls;
}

double SecondCost::TotalNs() const {
  return std::accumulate(part_ns.begin(), part_ns.end(), 0.0);
}

OverheadMeter::OverheadMeter(Recorder& recorder, const ProbeCosts& costs)
    : recorder_(recorder), costs_(costs), own_cpu_ns_(OwnCpuNs()) {
  recorder_.SetFact("probe_call_cost_ns", costs.call_ns);
  recorder_.SetFact("probe_call_program_ns", costs.call_program_ns);
  recorder_.SetFact("probe_switch_cost_ns", costs.switch_ns);
  recorder_.SetFact("probe_sample_cost_ns", costs.sample_ns);
}

void OverheadMeter::Count(CostPart part, uint64_t hit_count) {
  hits_[static_cast<size_t>(part)] += hit_count;
}

double OverheadMeter::NsOfHit(CostPart part) const {
  if (part == CostPart::kSwitches) return costs_.switch_ns;
  return part == CostPart::kSamples ? costs_.sample_ns : costs_.call_ns;
}

SecondCost OverheadMeter::EndSecond(int64_t time_ns, int64_t elapsed_ns, int64_t target_cpu_ns) {
  SecondCost cost;
  for (size_t part = 0; part < kCostPartCount; ++part)
    cost.part_ns[part] = static_cast<double>(hits_[part]) * NsOfHit(CostPart(part));
  hits_ = {};
  const int64_t own_cpu_ns = OwnCpuNs() - own_cpu_ns_;
  own_cpu_ns_ += own_cpu_ns;
  sum_ns_ += cost.TotalNs();
  sum_elapsed_ns_ += elapsed_ns;
  sum_target_cpu_ns_ += target_cpu_ns;
  sum_own_cpu_ns_ += own_cpu_ns;
  cost.core_pct = Percent(cost.TotalNs(), elapsed_ns);
  cost.recorder_cpu_pct = Percent(static_cast<double>(own_cpu_ns), elapsed_ns);
  recorder_.AddCounterValue("recorder.overhead_core_pct", "pct", time_ns, cost.core_pct);
  recorder_.AddCounterValue("recorder.cpu_pct", "pct", time_ns, cost.recorder_cpu_pct);
  if (static_cast<double>(target_cpu_ns) >=
      kSmallestTargetShare * static_cast<double>(elapsed_ns)) {
    cost.target_pct = Percent(cost.TotalNs(), target_cpu_ns);
    recorder_.AddCounterValue("recorder.overhead_pct", "pct", time_ns, *cost.target_pct);
  }
  return cost;
}

void OverheadMeter::WriteFacts() const {
  recorder_.SetFact("overhead_pct", Percent(sum_ns_, sum_target_cpu_ns_));
  recorder_.SetFact("overhead_core_pct", Percent(sum_ns_, sum_elapsed_ns_));
  recorder_.SetFact("recorder_cpu_pct",
                    Percent(static_cast<double>(sum_own_cpu_ns_), sum_elapsed_ns_));
}

}  // namespace gpuwhy
