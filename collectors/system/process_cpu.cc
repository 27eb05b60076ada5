// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/process_cpu.h"

#include <unistd.h>

#include "collectors/process/number_text.h"
#include "collectors/process/read_file.h"
#include "collectors/system/growth.h"

namespace gpuwhy {
namespace {

// Fields after the name: state is the first, utime the twelfth, stime the thirteenth.
constexpr int kFieldsBeforeUtime = 11;

std::optional<int64_t> TakeTicks(std::string_view& text) {
  const auto ticks = TakeNumber<int64_t>(text);
  if (!ticks || *ticks < 0 || !TakeChar(text, ' ')) return std::nullopt;
  return ticks;
}

}  // namespace

std::optional<int64_t> ParseCpuNs(std::string_view stat, int64_t ticks_per_second) {
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || ticks_per_second <= 0) return std::nullopt;
  stat.remove_prefix(name_end + 2);
  for (int i = 0; i < kFieldsBeforeUtime; ++i) {
    const size_t blank = stat.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(blank + 1);
  }
  const auto user = TakeTicks(stat);
  const auto system = user ? TakeTicks(stat) : std::nullopt;
  if (!system) return std::nullopt;
  return (*user + *system) * (1'000'000'000 / ticks_per_second);
}

void ProcessCpuPoller::Poll(const PollMoment& moment, Recorder& recorder) {
  std::unordered_map<int64_t, int64_t> now_ns;
  last_total_ns_ = 0;
  for (const PolledProcess& target : moment.targets) {
    const auto text = ReadWholeFile(ProcPath(target.pid, "stat"));
    const auto cpu_ns = text.ok() ? ParseCpuNs(text.value(), sysconf(_SC_CLK_TCK)) : std::nullopt;
    if (!cpu_ns) continue;  // it has ended
    now_ns[target.process_id] = *cpu_ns;
    const auto before = cpu_ns_.find(target.process_id);
    if (before == cpu_ns_.end() || *cpu_ns < before->second) continue;
    const int64_t used_ns = *cpu_ns - before->second;
    last_total_ns_ += used_ns;
    recorder.AddCounterValue({"process.cpu_pct", "pct", target.process_id}, moment.time_ns,
                             PercentOf(used_ns, moment.elapsed_ns));
  }
  cpu_ns_ = std::move(now_ns);
}

}  // namespace gpuwhy
