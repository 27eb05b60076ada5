// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collectors/process/read_file.h"
#include "collectors/system/core_label.h"
#include "collectors/system/cpu_times.h"
#include "collectors/system/growth.h"
#include "collectors/system/losses.h"
#include "collectors/system/pollers.h"

namespace gpuwhy {
namespace {

class CpuPoller final : public SystemPoller {
 public:
  void Poll(const PollMoment& moment, Recorder& recorder) override {
    const auto text = ReadWholeFile("/proc/stat");
    if (!text.ok()) return recorder.Count(kSystemFileUnreadable, 1, {}, text.error().message);
    auto now = ParseCpuTicks(text.value());
    Write(GrowthsTo(now), moment, recorder);
    last_ = std::move(now);
  }

 private:
  // By series. A core that was offline until now has no growth yet.
  std::map<int, CpuTicks> GrowthsTo(const std::map<int, CpuTicks>& now) const {
    std::map<int, CpuTicks> growths;
    for (const auto& [core, ticks] : now) {
      const auto before = last_.find(core);
      if (before != last_.end()) growths[SeriesOf(core)].Add(ticks.Since(before->second));
    }
    return growths;
  }

  void Write(const std::map<int, CpuTicks>& growths, const PollMoment& moment, Recorder& recorder) {
    CpuTicks all;
    for (const auto& [series, ticks] : growths) {
      WriteShares(CoreLabel(series) + ".", ticks, moment, recorder);
      all.Add(ticks);
    }
    WriteShares("system.cpu_", all, moment, recorder);
    if (all.Total() > 0) {
      recorder.AddCounterValue("system.cpu_pct", "pct", moment.time_ns,
                               PercentOf(all.Busy(), all.Total()));
    }
    if (growths.contains(kCoreSeries) && !has_said_summed_) {
      recorder.Count(kCoresSummed);
      has_said_summed_ = true;
    }
  }

  static void WriteShares(const std::string& prefix, const CpuTicks& ticks,
                          const PollMoment& moment, Recorder& recorder) {
    if (ticks.Total() == 0) return;
    for (size_t share = 0; share < kCpuShareCount; ++share) {
      recorder.AddCounterValue(fmt::format("{}{}_pct", prefix, NameOf(CpuShare{share})), "pct",
                               moment.time_ns, PercentOf(ticks.ticks[share], ticks.Total()));
    }
  }

  std::map<int, CpuTicks> last_;
  bool has_said_summed_ = false;
};

}  // namespace

std::unique_ptr<SystemPoller> MakeCpuPoller() {
  return std::make_unique<CpuPoller>();
}

}  // namespace gpuwhy
