// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/phases.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/rules.h"

namespace gpuwhy {
namespace {

// Of an interval that workers only partly lived through, this much must be theirs.
bool HasWorkers(const TraceFacts& facts, int64_t process_id, Interval gap) {
  const auto children = facts.actors().ChildrenOf(process_id);
  return std::any_of(children.begin(), children.end(), [&](const ProcessInfo* child) {
    const int64_t start_ns = std::max(child->start_ns.value_or(gap.start_ns), gap.start_ns);
    const int64_t end_ns = std::min(child->end_ns.value_or(gap.end_ns), gap.end_ns);
    return (end_ns - start_ns) * 2 >= gap.duration_ns();
  });
}

void AddGap(std::vector<Phase>& phases, const Gap& gap, bool starts_phase) {
  if (starts_phase) {
    if (!phases.empty()) phases.back().interval.end_ns = gap.start_ns;
    const char letter = static_cast<char>(std::min<size_t>('A' + phases.size(), 'Z'));
    phases.push_back({.letter = letter, .interval = gap.interval(), .is_idle = true});
  }
  Phase& phase = phases.back();
  phase.interval.end_ns = gap.end_ns;
  phase.idle_ns += gap.duration_ns();
  phase.longest_gap_ns = std::max(phase.longest_gap_ns, gap.duration_ns());
  ++phase.gap_count;
}

Status AddBusyPhase(const TraceFacts& facts, const IdlePicture& picture,
                    std::vector<Phase>& phases) {
  GPUWHY_ASSIGN_OR_RETURN(const WarmUp warm_up, facts.FindWarmUp());
  const Interval busy = {std::max(picture.span.start_ns, warm_up.end_ns),
                         picture.gaps.front().start_ns};
  if (busy.duration_ns() > 0) phases.push_back({.interval = busy});
  return {};
}

Status AddCalls(const TraceFacts& facts, std::vector<Phase>& phases) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<HostCall>* calls, facts.HostCalls());
  for (const HostCall& call : *calls) {
    if (call.is_child || (call.kind != CallKind::kLaunch && call.kind != CallKind::kCopy)) continue;
    for (Phase& phase : phases) {
      if (call.start_ns < phase.interval.start_ns || call.start_ns >= phase.interval.end_ns) {
        continue;
      }
      ++phase.call_count;
      if (!call.is_kernel_launch) phase.copied_bytes += call.bytes;
    }
  }
  return {};
}

std::string DescribeFeeder(const Phase& phase) {
  if (!phase.feeder.is_known) return "feeding thread not observed";
  return fmt::format("feeding thread on a core {} (off {}, {} switches)",
                     Percent(FeederCpuShare(phase)), FormatDuration(phase.feeder.total_ns),
                     FormatCount(phase.feeder.wait_count));
}

std::string DescribeCpu(const CpuLoad& cpu) {
  if (cpu.sample_count == 0) return "";
  return fmt::format(", CPU {}-{} %", FormatNumber(cpu.min_pct, 0), FormatNumber(cpu.max_pct, 0));
}

std::string DescribeWorkers(const Phase& phase) {
  if (phase.workers.empty()) return "";
  int64_t wait_count = 0;
  int64_t off_cpu_ns = 0;
  for (const Worker& worker : phase.workers) {
    wait_count += worker.wait_count;
    off_cpu_ns += worker.off_cpu_ns;
  }
  std::string text = fmt::format(", {} workers", phase.workers.size());
  if (wait_count > 0) {
    text += fmt::format(" ({} switches averaging {})", FormatCount(wait_count),
                        FormatDuration(off_cpu_ns / wait_count));
  }
  return text;
}

}  // namespace

double RatioOf(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string Percent(double ratio) {
  return fmt::format("{:.1f} %", ratio * 100);
}

std::string CountOfGaps(int64_t count) {
  return count == 1 ? "1 gap" : FormatCount(count) + " gaps";
}

std::string Instant(const TraceFacts& facts, int64_t time_ns) {
  return fmt::format("+{:.3f} s",
                     static_cast<double>(time_ns - facts.window().trace_start_ns) / 1e9);
}

Result<std::vector<Phase>> PhasesOf(const TraceFacts& facts, const IdlePicture& picture) {
  std::vector<Phase> phases;
  if (!picture.IsUsable() || picture.gaps.empty()) return phases;
  GPUWHY_RETURN_IF_ERROR(AddBusyPhase(facts, picture, phases));
  bool had_workers = false;
  for (const Gap& gap : picture.gaps) {
    const bool has_workers = HasWorkers(facts, picture.feeder_process_id, gap.interval());
    const bool is_first = phases.empty() || !phases.back().is_idle;
    AddGap(phases, gap, is_first || has_workers != had_workers);
    had_workers = has_workers;
  }
  for (Phase& phase : phases) {
    GPUWHY_ASSIGN_OR_RETURN(phase.feeder,
                            OffCpuWithin(facts, picture.feeder_thread_id, phase.interval));
    GPUWHY_ASSIGN_OR_RETURN(phase.cpu, CpuLoadIn(facts, phase.interval));
    if (!phase.is_idle) continue;
    GPUWHY_ASSIGN_OR_RETURN(phase.workers,
                            WorkersIn(facts, picture.feeder_process_id, phase.interval));
  }
  GPUWHY_RETURN_IF_ERROR(AddCalls(facts, phases));
  return phases;
}

double WorkerCpuShare(const Phase& phase) {
  int64_t life_ns = 0;
  int64_t off_cpu_ns = 0;
  for (const Worker& worker : phase.workers) {
    if (!worker.is_known) continue;
    life_ns += worker.life.duration_ns();
    off_cpu_ns += worker.off_cpu_ns;
    if (rules::IsTimeoutShaped(worker.longest_ns)) off_cpu_ns -= worker.longest_ns;
  }
  return RatioOf(std::max<int64_t>(life_ns - off_cpu_ns, 0), life_ns);
}

double FeederCpuShare(const Phase& phase) {
  if (!phase.feeder.is_known) return 0;
  return 1 - RatioOf(phase.feeder.total_ns, phase.interval.duration_ns());
}

std::string DescribePhase(const TraceFacts& facts, const IdlePicture& picture, const Phase& phase) {
  std::string text = fmt::format("{}..{}: ", Instant(facts, phase.interval.start_ns),
                                 Instant(facts, phase.interval.end_ns));
  if (!phase.is_idle) {
    text += fmt::format("work back to back, {} copied in {}", FormatBytes(phase.copied_bytes),
                        FormatDuration(phase.interval.duration_ns()));
    return text;
  }
  text +=
      fmt::format("idle {} in {}; ", FormatDuration(phase.idle_ns), CountOfGaps(phase.gap_count));
  text += DescribeFeeder(phase) + DescribeWorkers(phase) + DescribeCpu(phase.cpu);
  if (picture.view == View::kApi && phase.call_count == 0) text += ", no launch or copy";
  return text;
}

}  // namespace gpuwhy
