// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collectors/process/number_text.h"
#include "collectors/process/read_file.h"
#include "collectors/system/growth.h"
#include "collectors/system/losses.h"
#include "collectors/system/pollers.h"
#include "collectors/system/pressure.h"

namespace gpuwhy {
namespace {

constexpr int64_t kMicrosecond = 1000;

class PressurePoller final : public SystemPoller {
 public:
  void Poll(const PollMoment& moment, Recorder& recorder) override {
    for (const std::string resource : {"cpu", "memory", "io"}) {
      if (is_absent_) return;
      // The file is there when the kernel can, and cannot be read when it was not asked to.
      const auto text = ReadWholeFile("/proc/pressure/" + resource);
      if (!text.ok()) return SayAbsent(text.error().message, recorder);
      const PressureTotals totals = ParsePressure(text.value());
      Add(resource + "_some", totals.some_ns, moment, recorder);
      Add(resource + "_full", totals.full_ns, moment, recorder);
    }
  }

 private:
  void SayAbsent(std::string_view reason, Recorder& recorder) {
    is_absent_ = true;
    recorder.Count(kPressureAbsent, 1, {}, reason);
  }

  void Add(const std::string& name, std::optional<int64_t> total_ns, const PollMoment& moment,
           Recorder& recorder) {
    const auto grown = total_ns ? growths_.Grown(name, *total_ns) : std::nullopt;
    if (!grown) return;
    recorder.AddCounterValue(fmt::format("system.psi_{}_pct", name), "pct", moment.time_ns,
                             PercentOf(*grown, moment.elapsed_ns));
  }

  bool is_absent_ = false;
  GrowthBook growths_;
};

}  // namespace

PressureTotals ParsePressure(std::string_view text) {
  PressureTotals totals;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    const bool is_some = line.starts_with("some ");
    const size_t at = line.find(" total=");
    if ((!is_some && !line.starts_with("full ")) || at == std::string_view::npos) continue;
    line.remove_prefix(at + 7);
    const auto total_us = TakeNumber<int64_t>(line);
    if (!total_us || !line.empty() || *total_us > INT64_MAX / kMicrosecond) continue;
    (is_some ? totals.some_ns : totals.full_ns) = *total_us * kMicrosecond;
  }
  return totals;
}

std::unique_ptr<SystemPoller> MakePressurePoller() {
  return std::make_unique<PressurePoller>();
}

}  // namespace gpuwhy
