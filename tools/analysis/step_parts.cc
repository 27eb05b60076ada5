// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/step_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "tools/analysis/find_steps.h"
#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

struct PhaseText {
  std::string_view key;
  std::string_view label;
};

constexpr std::array<PhaseText, kStepPhaseCount> kPhaseTexts = {
    {{"data_loading", "data loading"},
     {"device_wait", "waiting for the device"},
     {"optimizer", "optimizer"},
     {"backward", "backward"},
     {"forward", "forward and other operators"},
     {"other", "other host time"}}};

using PhaseIntervals = std::array<std::vector<Interval>, kStepPhaseCount>;

std::optional<StepPhase> PhaseOfName(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (IsDataLoaderName(name)) return StepPhase::kDataLoading;
  if (name.starts_with("Optimizer.") || has("optimizer.zero_grad")) return StepPhase::kOptimizer;
  // autograd::engine::evaluate_function, AddBackward0, _tensor.py(1): backward, loss.backward
  if (has("autograd::engine") || has("ackward")) return StepPhase::kBackward;
  return std::nullopt;
}

// Ranges of threads that have steps, by thread and phase; backward by process, since the engine has
// threads of its own.
class PhaseCollector {
 public:
  PhaseCollector(const TraceFacts& facts, const std::vector<Step>& steps) : facts_(facts) {
    for (const Step& step : steps) {
      threads_[step.thread_id];
      step_patterns_.push_back(WithoutNumbers(step.name));
    }
    std::sort(step_patterns_.begin(), step_patterns_.end());
    step_patterns_.erase(std::unique(step_patterns_.begin(), step_patterns_.end()),
                         step_patterns_.end());
  }

  Status Collect() {
    GPUWHY_RETURN_IF_ERROR(ReadNames());
    GPUWHY_RETURN_IF_ERROR(ReadRanges());
    return ReadCalls();
  }

  // Each instant in one phase; kOther is what they leave.
  std::array<Intervals, kStepPhaseCount> PhasesOf(int64_t thread_id) {
    PhaseIntervals& own = threads_.at(thread_id);
    auto& backward = own[static_cast<size_t>(StepPhase::kBackward)];
    const auto& engine = backward_[ProcessOf(thread_id)];
    backward.insert(backward.end(), engine.begin(), engine.end());
    std::array<Intervals, kStepPhaseCount> exclusive;
    Intervals taken;
    for (size_t i = 0; i + 1 < kStepPhaseCount; ++i) {
      const Intervals all = Normalize(std::move(own.at(i)));
      exclusive.at(i) = Subtract(all, taken);
      taken = Union(taken, all);
    }
    return exclusive;
  }

  int64_t ProcessOf(int64_t thread_id) const {
    const ThreadInfo* thread = facts_.actors().FindThread(thread_id);
    return thread == nullptr ? 0 : thread->process_id;
  }

 private:
  Status ReadNames() {
    return facts_.db().Query("SELECT id, text FROM name", {}, [&](const Row& row) {
      const std::string_view name = row.Text(1);
      const bool is_step =
          std::binary_search(step_patterns_.begin(), step_patterns_.end(), WithoutNumbers(name));
      if (is_step) step_names_.push_back(row.Int(0));
      const auto phase = is_step ? std::nullopt : PhaseOfName(name);
      if (phase) phase_of_name_.emplace(row.Int(0), *phase);
    });
  }

  // Python functions are taken only by their names: the outermost of them cover everything.
  std::string Condition() const {
    std::vector<int64_t> named;
    named.reserve(phase_of_name_.size());
    for (const auto& [name_id, phase] : phase_of_name_)
      named.push_back(name_id);
    return fmt::format(
        "name_id NOT IN ({}) AND category NOT LIKE '%gpu%' AND (name_id IN ({}) OR category IN "
        "('cpu_op', 'Operator', 'user_annotation', 'nvtx'))",
        IdList(step_names_), IdList(named));
  }

  Status ReadRanges() {
    return Scan(facts_.db(),
                {.table = "range",
                 .columns = "thread_id, start_ns, duration_ns, name_id",
                 .window = facts_.window(),
                 .condition = Condition()},
                [&](const Row& row) {
                  const Interval interval = {row.Int(1), EndOf(row.Int(1), row.Int(2))};
                  const auto named = phase_of_name_.find(row.Int(3));
                  const StepPhase phase =
                      named == phase_of_name_.end() ? StepPhase::kForward : named->second;
                  if (phase == StepPhase::kBackward)
                    return backward_[ProcessOf(row.Int(0))].push_back(interval);
                  Add(row.Int(0), phase, interval);
                });
  }

  Status ReadCalls() {
    GPUWHY_ASSIGN_OR_RETURN(const auto* calls, facts_.HostCalls());
    for (const HostCall& call : *calls) {
      const bool is_wait =
          call.kind == CallKind::kSync || call.kind == CallKind::kCopy || call.is_pageable;
      if (is_wait) Add(call.thread_id, StepPhase::kDeviceWait, {call.start_ns, call.end_ns});
    }
    return {};
  }

  void Add(int64_t thread_id, StepPhase phase, Interval interval) {
    const auto thread = threads_.find(thread_id);
    if (thread != threads_.end()) thread->second.at(static_cast<size_t>(phase)).push_back(interval);
  }

  const TraceFacts& facts_;
  std::vector<std::string> step_patterns_;
  std::vector<int64_t> step_names_;
  std::unordered_map<int64_t, StepPhase> phase_of_name_;
  std::unordered_map<int64_t, PhaseIntervals> threads_;
  std::unordered_map<int64_t, std::vector<Interval>> backward_;  // by process
};

// Of one process.
struct DeviceWork {
  Intervals busy;
  Intervals exposed;
  std::vector<int64_t> starts_ns;  // ascending
};

std::map<int64_t, DeviceWork> WorkByProcess(const std::vector<DeviceOp>& ops) {
  struct Parts {
    UnionBuilder busy, comm, compute;
  };
  std::map<int64_t, Parts> parts;
  std::map<int64_t, DeviceWork> work;
  for (const DeviceOp& op : ops) {
    Parts& process = parts[op.process_id];
    process.busy.Add({op.start_ns, op.end_ns});
    if (op.kernel_class == KernelClass::kComm) process.comm.Add({op.start_ns, op.end_ns});
    if (op.kernel_class == KernelClass::kCompute) process.compute.Add({op.start_ns, op.end_ns});
    work[op.process_id].starts_ns.push_back(op.start_ns);
  }
  for (auto& [process_id, process] : parts) {
    work[process_id].busy = process.busy.Take();
    work[process_id].exposed = Subtract(process.comm.result(), process.compute.result());
  }
  return work;
}

void AddDevice(const DeviceWork& work, StepParts& parts) {
  const Interval window = {parts.step.start_ns, parts.step.end_ns};
  parts.has_device = true;
  parts.device_busy_ns = LengthWithin(work.busy, window);
  parts.comm_exposed_ns = LengthWithin(work.exposed, window);
  const auto begun = [&](int64_t time_ns) {
    return std::lower_bound(work.starts_ns.begin(), work.starts_ns.end(), time_ns);
  };
  parts.device_op_count = begun(window.end_ns) - begun(window.start_ns);
}

}  // namespace

std::string_view KeyOf(StepPhase phase) {
  return kPhaseTexts.at(static_cast<size_t>(phase)).key;
}

std::string_view LabelOf(StepPhase phase) {
  return kPhaseTexts.at(static_cast<size_t>(phase)).label;
}

Result<std::vector<StepParts>> PartsOfSteps(const TraceFacts& facts,
                                            const std::vector<Step>& steps) {
  PhaseCollector collector(facts, steps);
  GPUWHY_RETURN_IF_ERROR(collector.Collect());
  GPUWHY_ASSIGN_OR_RETURN(const auto* ops, facts.DeviceOps());
  const std::map<int64_t, DeviceWork> work = WorkByProcess(*ops);
  std::map<int64_t, std::array<Intervals, kStepPhaseCount>> phases;
  std::vector<StepParts> all;
  for (const Step& step : steps) {
    GPUWHY_RETURN_IF_ERROR(facts.CheckStop());
    StepParts parts{.step = step, .process_id = collector.ProcessOf(step.thread_id)};
    auto [known, is_new] = phases.try_emplace(step.thread_id);
    if (is_new) known->second = collector.PhasesOf(step.thread_id);
    int64_t rest_ns = parts.duration_ns();
    for (size_t i = 0; i + 1 < kStepPhaseCount; ++i) {
      parts.phase_ns.at(i) = LengthWithin(known->second.at(i), {step.start_ns, step.end_ns});
      rest_ns -= parts.phase_ns.at(i);
    }
    parts.phase_ns.back() = rest_ns;
    const auto device = work.find(parts.process_id);
    if (device != work.end()) AddDevice(device->second, parts);
    all.push_back(std::move(parts));
  }
  return all;
}

}  // namespace gpuwhy
