// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "collectors/system/core_label.h"
#include "collectors/system/growth.h"
#include "collectors/system/pollers.h"

namespace gpuwhy {
namespace {

class InterruptPoller final : public SystemPoller {
 public:
  explicit InterruptPoller(ReadInterruptTimes read) : read_(std::move(read)) {}

  void Poll(const PollMoment& moment, Recorder& recorder) override {
    std::map<std::string, int64_t> totals;
    const auto times = read_();
    for (size_t core = 0; core < times.size(); ++core) {
      const std::string label = CoreLabel(SeriesOf(static_cast<int>(core)));
      totals[label + ".softirq_ns"] += static_cast<int64_t>(times[core].first);
      totals[label + ".irq_ns"] += static_cast<int64_t>(times[core].second);
    }
    for (const auto& [series, total_ns] : totals) {
      if (const auto grown = growths_.Grown(series, total_ns)) {
        recorder.AddCounterValue(series, "ns", moment.time_ns, static_cast<double>(*grown));
      }
    }
  }

 private:
  ReadInterruptTimes read_;
  GrowthBook growths_;
};

}  // namespace

std::unique_ptr<SystemPoller> MakeInterruptPoller(ReadInterruptTimes read) {
  return std::make_unique<InterruptPoller>(std::move(read));
}

}  // namespace gpuwhy
