// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/number_text.h"
#include "collectors/process/read_file.h"
#include "collectors/system/load_average.h"
#include "collectors/system/losses.h"
#include "collectors/system/pollers.h"

namespace gpuwhy {
namespace {

class LoadPoller final : public SystemPoller {
 public:
  void Poll(const PollMoment& moment, Recorder& recorder) override {
    const auto text = ReadWholeFile("/proc/loadavg");
    const auto load = text.ok() ? ParseLoadAverage(text.value()) : std::nullopt;
    if (!load) return recorder.Count(kSystemFileUnreadable, 1, {}, "/proc/loadavg");
    recorder.AddCounterValue("system.load_avg", "count", moment.time_ns, load->minute);
    recorder.AddCounterValue("system.runnable_count", "count", moment.time_ns,
                             static_cast<double>(load->runnable_count));
  }
};

}  // namespace

std::optional<LoadAverage> ParseLoadAverage(std::string_view text) {
  LoadAverage load;
  double longer = 0;
  // std::from_chars of a floating-point number has no base.
  const auto take = [&text]() -> std::optional<double> {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
  };
  for (double* average : {&load.minute, &longer, &longer}) {
    const auto value = take();
    if (!value || !TakeChar(text, ' ')) return std::nullopt;
    *average = *value;
  }
  const auto runnable = TakeNumber<int64_t>(text);
  if (!runnable || !TakeChar(text, '/')) return std::nullopt;
  load.runnable_count = *runnable;
  return load;
}

std::unique_ptr<SystemPoller> MakeLoadPoller() {
  return std::make_unique<LoadPoller>();
}

}  // namespace gpuwhy
