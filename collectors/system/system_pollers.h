// SPDX-License-Identifier: Apache-2.0
// All sources of system values, asked together. One thread.
#pragma once

#include <memory>
#include <vector>

#include "collectors/system/pollers.h"
#include "collectors/system/process_cpu.h"

namespace gpuwhy {

class SystemPollers {
 public:
  explicit SystemPollers(Recorder& recorder, ReadInterruptTimes read_interrupts);

  // `time_ns` is Unix time, `monotonic_ns` says how long ago the poll before was.
  void Poll(int64_t time_ns, int64_t monotonic_ns, std::span<const PolledProcess> targets);
  int64_t elapsed_ns() const { return elapsed_ns_; }
  int64_t target_cpu_ns() const { return processes_->last_total_ns(); }

 private:
  Recorder& recorder_;
  std::vector<std::unique_ptr<SystemPoller>> pollers_;
  ProcessCpuPoller* processes_;  // one of them
  int64_t last_monotonic_ns_ = 0;
  int64_t elapsed_ns_ = 0;  // between the last two polls
};

}  // namespace gpuwhy
