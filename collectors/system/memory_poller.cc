// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/read_file.h"
#include "collectors/system/growth.h"
#include "collectors/system/losses.h"
#include "collectors/system/named_numbers.h"
#include "collectors/system/pollers.h"

namespace gpuwhy {
namespace {

struct Source {
  std::string_view field;
  std::string_view series;
};
constexpr Source kAmounts[] = {{"MemAvailable", "system.mem_available_bytes"},
                               {"MemFree", "system.mem_free_bytes"},
                               {"Cached", "system.mem_cached_bytes"}};
constexpr Source kGrowths[] = {{"pswpin", "system.swap_in_count"},  // pages
                               {"pswpout", "system.swap_out_count"},
                               {"pgmajfault", "system.major_fault_count"}};

class MemoryPoller final : public SystemPoller {
 public:
  void Poll(const PollMoment& moment, Recorder& recorder) override {
    PollAmounts(moment, recorder);
    PollGrowths(moment, recorder);
  }

 private:
  static void PollAmounts(const PollMoment& moment, Recorder& recorder) {
    const auto text = ReadWholeFile("/proc/meminfo");
    if (!text.ok()) return recorder.Count(kSystemFileUnreadable, 1, {}, text.error().message);
    const auto numbers = NamedNumbers::Parse(text.value());
    const auto add = [&](std::string_view series, std::string_view unit, double value) {
      recorder.AddCounterValue(series, unit, moment.time_ns, value);
    };
    for (const Source& source : kAmounts) {
      if (const auto value = numbers.Find(source.field)) {
        add(source.series, "bytes", static_cast<double>(*value));
      }
    }
    const auto total = numbers.Find("MemTotal");
    const auto available = numbers.Find("MemAvailable");
    if (total && available)
      add("system.mem_used_pct", "pct", PercentOf(*total - *available, *total));
    const auto swap_total = numbers.Find("SwapTotal");
    const auto swap_free = numbers.Find("SwapFree");
    if (swap_total && swap_free) {
      add("system.swap_used_bytes", "bytes", static_cast<double>(*swap_total - *swap_free));
    }
  }

  void PollGrowths(const PollMoment& moment, Recorder& recorder) {
    const auto text = ReadWholeFile("/proc/vmstat");
    if (!text.ok()) return recorder.Count(kSystemFileUnreadable, 1, {}, text.error().message);
    const auto numbers = NamedNumbers::Parse(text.value());
    for (const Source& source : kGrowths) {
      const auto value = numbers.Find(source.field);
      const auto grown = value ? growths_.Grown(source.field, *value) : std::nullopt;
      if (grown) {
        recorder.AddCounterValue(source.series, "count", moment.time_ns,
                                 static_cast<double>(*grown));
      }
    }
  }

  GrowthBook growths_;
};

}  // namespace

std::unique_ptr<SystemPoller> MakeMemoryPoller() {
  return std::make_unique<MemoryPoller>();
}

}  // namespace gpuwhy
