// SPDX-License-Identifier: Apache-2.0
// Keeps the cost of recording within a share of the recorded processes' CPU time: when it was
// exceeded for three seconds, the least useful of what is recorded is given up, and so on. What is
// given up stays so, and is a loss that says since when. Launches, copies and waits for the device
// are always recorded. One thread.
#pragma once

#include <string_view>
#include <vector>

#include "collectors/ebpf/kernel_probes.h"
#include "collectors/ebpf/overhead_meter.h"
#include "collectors/recorder.h"

namespace gpuwhy {

class OverheadBudget {
 public:
  // `limit_pct` 0: nothing is ever given up.
  OverheadBudget(KernelProbes& probes, Recorder& recorder, double limit_pct)
      : probes_(probes), recorder_(recorder), limit_pct_(limit_pct) {}

  void Judge(const SecondCost& cost, int64_t time_ns);
  // Names of losses, in the order in which it was given up.
  const std::vector<std::string_view>& shed() const { return shed_; }

 private:
  void ShedNext(const SecondCost& cost, int64_t time_ns);

  KernelProbes& probes_;
  Recorder& recorder_;
  double limit_pct_;
  int seconds_above_ = 0;
  std::vector<std::string_view> shed_;
};

}  // namespace gpuwhy
