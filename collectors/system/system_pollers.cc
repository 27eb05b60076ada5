// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/system_pollers.h"

namespace gpuwhy {

SystemPollers::SystemPollers(Recorder& recorder, ReadInterruptTimes read_interrupts)
    : recorder_(recorder) {
  auto processes = std::make_unique<ProcessCpuPoller>();
  processes_ = processes.get();
  pollers_.push_back(std::move(processes));
  pollers_.push_back(MakeCpuPoller());
  pollers_.push_back(MakeLoadPoller());
  pollers_.push_back(MakeMemoryPoller());
  pollers_.push_back(MakePressurePoller());
  pollers_.push_back(MakeCgroupPoller());
  pollers_.push_back(MakeInterruptPoller(std::move(read_interrupts)));
}

void SystemPollers::Poll(int64_t time_ns, int64_t monotonic_ns,
                         std::span<const PolledProcess> targets) {
  elapsed_ns_ = last_monotonic_ns_ == 0 ? 0 : monotonic_ns - last_monotonic_ns_;
  last_monotonic_ns_ = monotonic_ns;
  for (const auto& poller : pollers_)
    poller->Poll({time_ns, elapsed_ns_, targets}, recorder_);
}

}  // namespace gpuwhy
