// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schema/base/text.h"
#include "tools/analysis/find_steps.h"
#include "tools/analysis/load_facts.h"
#include "tools/analysis/median.h"
#include "tools/analysis/step_parts.h"
#include "tools/support/scope_params.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_step_breakdown {
namespace {

constexpr int64_t kDefaultSteps = 6;
constexpr int64_t kMaxSteps = 1000;
// A step is slow from this ratio to the median of its thread on; of fewer steps none is usual.
constexpr double kSlowRatio = 1.2;
constexpr size_t kFewestForMedian = 4;
constexpr size_t kListedSlow = 5;

double PctOf(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// The usual step of one thread.
struct Usual {
  int64_t duration_ns = 0;
  std::array<int64_t, kStepPhaseCount> phase_ns{};
};

Usual UsualOf(const std::vector<const StepParts*>& steps) {
  const auto median_of = [&](const auto& value) {
    std::vector<int64_t> values;
    values.reserve(steps.size());
    for (const StepParts* step : steps)
      values.push_back(value(*step));
    return MedianOf(std::move(values));
  };
  Usual usual;
  usual.duration_ns = median_of([](const StepParts& step) { return step.duration_ns(); });
  for (size_t i = 0; i < kStepPhaseCount; ++i)
    usual.phase_ns.at(i) = median_of([i](const StepParts& step) { return step.phase_ns.at(i); });
  return usual;
}

struct Slow {
  const StepParts* step;
  int64_t over_ns;
  StepPhase phase;  // that grew most
  int64_t phase_over_ns;
};

Slow SlowOf(const StepParts& step, const Usual& usual) {
  Slow slow{.step = &step,
            .over_ns = step.duration_ns() - usual.duration_ns,
            .phase = StepPhase::kOther,
            .phase_over_ns = INT64_MIN};
  for (size_t i = 0; i < kStepPhaseCount; ++i) {
    const int64_t over_ns = step.phase_ns.at(i) - usual.phase_ns.at(i);
    if (over_ns <= slow.phase_over_ns) continue;
    slow.phase_over_ns = over_ns;
    slow.phase = static_cast<StepPhase>(i);
  }
  return slow;
}

class Breakdown {
 public:
  Breakdown(const TraceFacts& facts, StepSet set, std::vector<StepParts> parts)
      : facts_(facts), set_(std::move(set)), parts_(std::move(parts)) {
    std::map<int64_t, std::vector<const StepParts*>> threads;
    for (const StepParts& step : parts_)
      threads[step.step.thread_id].push_back(&step);
    for (const auto& [thread, steps] : threads) {
      const Usual usual = UsualOf(steps);
      if (steps.size() >= kFewestForMedian) AddSlow(steps, usual);
    }
    std::sort(slow_.begin(), slow_.end(),
              [](const Slow& a, const Slow& b) { return a.over_ns > b.over_ns; });
    thread_count_ = threads.size();
  }

  std::string Headline() const {
    const Usual usual = UsualOfAll();
    std::string text =
        fmt::format("{} steps ({}), median {}", FormatCount(static_cast<int64_t>(parts_.size())),
                    CleanText(set_.source), FormatDuration(usual.duration_ns));
    const StepPhase largest = LargestPhase();
    text += fmt::format(": most host time in {} ({} %)", LabelOf(largest),
                        FormatNumber(PctOf(SumOf(largest), SumOfSteps()), 1));
    if (HasDevice())
      text += fmt::format(", device busy {} %", FormatNumber(PctOf(SumBusy(), SumOfSteps()), 1));
    if (slow_.empty()) return text + ".";
    const Slow& worst = slow_.front();
    return text + fmt::format("; {} slow, the slowest {} took {} (+{}), {} alone +{}.",
                              slow_.size(), CleanText(worst.step->step.name),
                              FormatDuration(worst.step->duration_ns()),
                              FormatDuration(worst.over_ns), LabelOf(worst.phase),
                              FormatDuration(worst.phase_over_ns));
  }

  Facts Summary() const {
    std::vector<int64_t> durations;
    durations.reserve(parts_.size());
    for (const StepParts& step : parts_)
      durations.push_back(step.duration_ns());
    const auto [least, most] = std::minmax_element(durations.begin(), durations.end());
    Facts facts{.key = "summary"};
    facts.facts = {
        {"step_source", "steps are", Unit::kText, set_.source},
        {"step_count", "steps", Unit::kCount, static_cast<int64_t>(parts_.size())},
        {"thread_count", "threads with steps", Unit::kCount, static_cast<int64_t>(thread_count_)},
        {"median_ns", "median", Unit::kNs, MedianOf(durations)},
        {"min_ns", "shortest", Unit::kNs, *least},
        {"max_ns", "longest", Unit::kNs, *most},
        {"slow_count", "slow (over 1.2 x median)", Unit::kCount,
         static_cast<int64_t>(slow_.size())}};
    return facts;
  }

  Table Phases() const {
    Table table{
        .key = "phases",
        .title = "Host time of the steps (exclusive, sums to them) and the device meanwhile",
        .columns = {{"phase", "phase"},
                    {"median_ns", "median a step", Unit::kNs},
                    {"total_ns", "total", Unit::kNs},
                    {"step_pct", "of steps", Unit::kPct}}};
    const Usual usual = UsualOfAll();
    for (size_t i = 0; i < kStepPhaseCount; ++i) {
      const auto phase = static_cast<StepPhase>(i);
      table.rows.push_back({std::string(LabelOf(phase)), usual.phase_ns.at(i), SumOf(phase),
                            PctOf(SumOf(phase), SumOfSteps())});
    }
    return table;
  }

  Table Slowest() const {
    Table table{.key = "slow_steps",
                .title = "Slow steps and what grew most against the median",
                .columns = {{"step", "step"},
                            {"start_time_ns", "at", Unit::kTimeNs},
                            {"duration_ns", "took", Unit::kNs},
                            {"over_ns", "over median", Unit::kNs},
                            {"phase", "grew most"},
                            {"phase_over_ns", "by", Unit::kNs}}};
    for (const Slow& slow : slow_) {
      if (table.rows.size() == kListedSlow) break;
      table.rows.push_back({slow.step->step.name, slow.step->step.start_ns,
                            slow.step->duration_ns(), slow.over_ns,
                            std::string(LabelOf(slow.phase)), slow.phase_over_ns});
    }
    table.total_rows = static_cast<int64_t>(slow_.size());
    table.more = "look into one with since and until";
    return table;
  }

  Table Steps(int64_t limit) const {
    Table table{.key = "steps",
                .title = "Steps",
                .columns = {{"step", "step"},
                            {"pid", "pid", Unit::kIdentifier},
                            {"start_time_ns", "at", Unit::kTimeNs},
                            {"duration_ns", "took", Unit::kNs}}};
    for (size_t i = 0; i < kStepPhaseCount; ++i) {
      const auto phase = static_cast<StepPhase>(i);
      table.columns.push_back(
          {fmt::format("{}_ns", KeyOf(phase)), std::string(LabelOf(phase)), Unit::kNs});
    }
    if (HasDevice()) {
      table.columns.push_back({"device_busy_ns", "device busy", Unit::kNs});
      table.columns.push_back({"comm_exposed_ns", "exposed comm.", Unit::kNs});
      table.columns.push_back({"device_op_count", "operations", Unit::kCount});
    }
    for (const StepParts& step : parts_) {
      if (static_cast<int64_t>(table.rows.size()) == limit) break;
      table.rows.push_back(RowOf(step));
    }
    table.total_rows = static_cast<int64_t>(parts_.size());
    table.more = fmt::format("call again with limit={}", std::min(kMaxSteps, table.total_rows));
    return table;
  }

  bool HasSlow() const { return !slow_.empty(); }

 private:
  void AddSlow(const std::vector<const StepParts*>& steps, const Usual& usual) {
    for (const StepParts* step : steps) {
      const auto limit_ns = kSlowRatio * static_cast<double>(usual.duration_ns);
      if (static_cast<double>(step->duration_ns()) > limit_ns)
        slow_.push_back(SlowOf(*step, usual));
    }
  }

  Usual UsualOfAll() const {
    std::vector<const StepParts*> all;
    all.reserve(parts_.size());
    for (const StepParts& step : parts_)
      all.push_back(&step);
    return UsualOf(all);
  }

  int64_t SumOf(StepPhase phase) const {
    int64_t sum_ns = 0;
    for (const StepParts& step : parts_)
      sum_ns += step.of(phase);
    return sum_ns;
  }
  int64_t SumOfSteps() const {
    int64_t sum_ns = 0;
    for (const StepParts& step : parts_)
      sum_ns += step.duration_ns();
    return sum_ns;
  }
  int64_t SumBusy() const {
    int64_t sum_ns = 0;
    for (const StepParts& step : parts_)
      sum_ns += step.device_busy_ns;
    return sum_ns;
  }
  bool HasDevice() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const StepParts& step) { return step.has_device; });
  }
  StepPhase LargestPhase() const {
    StepPhase largest = StepPhase::kDataLoading;
    for (size_t i = 1; i < kStepPhaseCount; ++i) {
      if (SumOf(static_cast<StepPhase>(i)) > SumOf(largest)) largest = static_cast<StepPhase>(i);
    }
    return largest;
  }

  std::vector<Value> RowOf(const StepParts& step) const {
    const ProcessInfo* process = facts_.actors().FindProcess(step.process_id);
    std::vector<Value> row = {step.step.name, process == nullptr ? Value() : Value(process->pid),
                              step.step.start_ns, step.duration_ns()};
    for (const int64_t phase_ns : step.phase_ns)
      row.emplace_back(phase_ns);
    if (!HasDevice()) return row;
    row.insert(row.end(), {step.device_busy_ns, step.comm_exposed_ns, step.device_op_count});
    return row;
  }

  const TraceFacts& facts_;
  StepSet set_;
  std::vector<StepParts> parts_;
  std::vector<Slow> slow_;
  size_t thread_count_ = 0;
};

// Whole steps only: half of one would look fast.
std::vector<Step> InScope(const TraceFacts& facts, const std::vector<Step>& steps) {
  std::vector<Step> inside;
  const Window& window = facts.window();
  for (const Step& step : steps) {
    const ThreadInfo* thread = facts.actors().FindThread(step.thread_id);
    const bool is_inside = step.start_ns >= window.start_ns && step.end_ns <= window.end_ns;
    if (is_inside && thread != nullptr && facts.scope().HasProcess(thread->process_id))
      inside.push_back(step);
  }
  return inside;
}

Answer NoSteps(const TraceFacts& facts) {
  Answer answer;
  answer.headline =
      "No steps were found: no ProfilerStep marks, no range that repeats over most of a thread's "
      "time, no optimizer.";
  answer.notes = {
      "mark steps with prof.step(), torch.profiler.record_function(\"step\") or an NVTX "
      "range, or name the range that is a step: get_step_breakdown range=NAME"};
  if (!facts.Has(Collector::kRange))
    answer.notes.insert(answer.notes.begin(), Presence::MissingText(Collector::kRange));
  answer.next = {"get_trace_stats", "get_gpu_idle_causes"};
  return answer;
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const auto facts, LoadFacts(context));
  GPUWHY_ASSIGN_OR_RETURN(StepSet set, FindSteps(facts->db(), context.params.Text("range")));
  set.steps = InScope(*facts, set.steps);
  if (set.steps.empty()) return NoSteps(*facts);
  GPUWHY_ASSIGN_OR_RETURN(std::vector<StepParts> parts, PartsOfSteps(*facts, set.steps));
  const Breakdown breakdown(*facts, std::move(set), std::move(parts));
  Answer answer{.headline = breakdown.Headline(), .origin_ns = facts->window().trace_start_ns};
  answer.sections.emplace_back(breakdown.Summary());
  answer.sections.emplace_back(breakdown.Phases());
  if (breakdown.HasSlow()) answer.sections.emplace_back(breakdown.Slowest());
  answer.sections.emplace_back(breakdown.Steps(context.params.Int("limit")));
  answer.notes = StandardNotes(*facts);
  answer.next = {"get_gpu_idle_causes", "get_findings"};
  return answer;
}

}  // namespace

Tool Define() {
  return {.name = "get_step_breakdown",
          .title = "Step breakdown",
          .description =
              "Splits each training or inference step into data loading, waiting for the device, "
              "forward, backward and optimizer, with the device's busy time, and says what grew in "
              "slow steps. Use it when steps are slow or uneven.",
          .params = {SinceParam(),
                     UntilParam(),
                     ProcessParam(),
                     {.name = "range",
                      .description = "Range that is one step, for example \"train_step\"; numbers "
                                     "in it do not matter. Default: found."},
                     LimitParam(kDefaultSteps, kMaxSteps)},
          .run = &Run};
}

}  // namespace gpuwhy::tools::get_step_breakdown
