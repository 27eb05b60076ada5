// SPDX-License-Identifier: Apache-2.0
// CPU time of the recorded processes: series process.cpu_pct (100: one core), and their sum, by
// which the recorder's own cost is judged. One thread.
#pragma once

#include <optional>
#include <unordered_map>

#include "collectors/system/system_poller.h"

namespace gpuwhy {

// utime + stime of /proc/PID/stat; ended children are not in it.
std::optional<int64_t> ParseCpuNs(std::string_view stat, int64_t ticks_per_second);

class ProcessCpuPoller final : public SystemPoller {
 public:
  void Poll(const PollMoment& moment, Recorder& recorder) override;
  // What all of them used between the last two polls, so far as they lived at both.
  int64_t last_total_ns() const { return last_total_ns_; }

 private:
  std::unordered_map<int64_t, int64_t> cpu_ns_;  // by row of the process
  int64_t last_total_ns_ = 0;
};

}  // namespace gpuwhy
