// SPDX-License-Identifier: Apache-2.0
// Quotas, throttling and memory of the cgroups of the recorded processes.
#include <fmt/format.h>

#include <algorithm>

#include "collectors/process/read_file.h"
#include "collectors/system/cgroup_watch.h"
#include "collectors/system/growth.h"
#include "collectors/system/losses.h"
#include "collectors/system/named_numbers.h"
#include "collectors/system/pollers.h"
#include "collectors/system/pressure.h"
#include "collectors/system/throttle_rows.h"

namespace gpuwhy {
namespace {

// Version 1 writes "no limit" as the largest number of pages.
constexpr int64_t kNoLimitBytes = int64_t{1} << 60U;

// Empty when the file is not there: which files a cgroup has depends on its controllers.
std::string TextOf(const CgroupFolder& folder, std::string_view name) {
  auto text = ReadWholeFile(folder.FileName(name));
  return text.ok() ? std::move(text).value() : std::string();
}

std::optional<double> QuotaOf(const CgroupFolder& folder) {
  if (folder.is_v2) return ParseCpuMax(TextOf(folder, "cpu.max"));
  const auto quota = ParseWholeNumber(TextOf(folder, "cpu.cfs_quota_us"));
  const auto period = ParseWholeNumber(TextOf(folder, "cpu.cfs_period_us"));
  if (!quota || !period || *quota < 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

class CgroupPoller final : public SystemPoller {
 public:
  void Poll(const PollMoment& moment, Recorder& recorder) override {
    if (mounts_.empty()) ReadMounts(recorder);
    const WatchedCgroups watched = FindCgroups(mounts_, moment.targets);
    if (watched.is_cut && !has_said_cut_) recorder.Count(kCgroupsSkipped);
    has_said_cut_ = has_said_cut_ || watched.is_cut;
    moment_ = moment;
    recorder_ = &recorder;
    for (const auto& [name, folder] : watched.cpu)
      PollCpu(folder);
    for (const auto& [name, folder] : watched.memory)
      PollMemory(folder);
    for (const auto& [name, folder] : watched.cpuset)
      PollCpuset(folder);
  }

 private:
  void ReadMounts(Recorder& recorder) {
    const auto text = ReadWholeFile("/proc/self/mountinfo");
    if (!text.ok()) return recorder.Count(kSystemFileUnreadable, 1, {}, text.error().message);
    mounts_ = ParseCgroupMounts(text.value());
  }

  void Add(const CgroupFolder& folder, std::string_view value_name, std::string_view unit,
           double value) {
    recorder_->AddCounterValue(fmt::format("system.cgroup[{}].{}", folder.path, value_name), unit,
                               moment_.time_ns, value);
  }

  // Without a quota there is nothing to throttle, and nothing is written.
  void PollCpu(const CgroupFolder& folder) {
    const auto now = ParseCpuBandwidth(TextOf(folder, "cpu.stat"));
    if (!now) return;
    const std::string key = folder.FileName("");
    const auto periods = growths_.Grown(key + "periods", now->period_count);
    const auto count = growths_.Grown(key + "count", now->throttled_count);
    const auto ns = growths_.Grown(key + "ns", now->throttled_ns);
    const auto quota = QuotaOf(folder);
    if (quota) Add(folder, "cpu_quota_pct", "pct", *quota * 100);
    if (!periods || !count || !ns || (!quota && *ns == 0)) return;
    Add(folder, "period_count", "count", static_cast<double>(*periods));
    Add(folder, "throttled_count", "count", static_cast<double>(*count));
    Add(folder, "throttled_ns", "ns", static_cast<double>(*ns));
    if (*ns > 0) AddThrottle(folder.path, *ns, moment_, *recorder_);
  }

  void PollMemory(const CgroupFolder& folder) {
    if (folder.path == "/") return;  // the machine's memory is told already
    const bool is_v2 = folder.is_v2;
    const auto used =
        ParseWholeNumber(TextOf(folder, is_v2 ? "memory.current" : "memory.usage_in_bytes"));
    const auto limit =
        ParseWholeNumber(TextOf(folder, is_v2 ? "memory.max" : "memory.limit_in_bytes"));
    if (used) Add(folder, "mem_used_bytes", "bytes", static_cast<double>(*used));
    if (limit && *limit < kNoLimitBytes) {
      Add(folder, "mem_limit_bytes", "bytes", static_cast<double>(*limit));
    }
    if (is_v2) PollPressure(folder);
  }

  void PollPressure(const CgroupFolder& folder) {
    const PressureTotals totals = ParsePressure(TextOf(folder, "memory.pressure"));
    const std::string key = folder.FileName("pressure");
    const auto some = totals.some_ns ? growths_.Grown(key, *totals.some_ns) : std::nullopt;
    if (some) Add(folder, "psi_memory_some_pct", "pct", PercentOf(*some, moment_.elapsed_ns));
  }

  void PollCpuset(const CgroupFolder& folder) {
    const auto count = CountOfList(
        TextOf(folder, folder.is_v2 ? "cpuset.cpus.effective" : "cpuset.effective_cpus"));
    if (count) Add(folder, "cpuset_count", "count", static_cast<double>(*count));
  }

  std::vector<CgroupMount> mounts_;
  GrowthBook growths_;
  bool has_said_cut_ = false;
  PollMoment moment_;             // of the poll in work
  Recorder* recorder_ = nullptr;  // the same
};

}  // namespace

std::unique_ptr<SystemPoller> MakeCgroupPoller() {
  return std::make_unique<CgroupPoller>();
}

}  // namespace gpuwhy
