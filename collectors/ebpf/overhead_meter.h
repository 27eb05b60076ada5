// SPDX-License-Identifier: Apache-2.0
// What recording costs: probe hits times what a hit was measured to cost, and the recorder's own
// CPU time. Two shares: of the CPU time of the recorded processes (the probes run in it, so this is
// how much of what they use is ours), and of one core. A second in which they hardly ran has no
// share of theirs. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "collectors/ebpf/calibration.h"
#include "collectors/ebpf/wire.h"
#include "collectors/recorder.h"

namespace gpuwhy {

// Where the time of probes goes.
enum class CostPart : uint8_t { kCalls, kQueries, kObjects, kFills, kSwitches, kSamples };
inline constexpr size_t kCostPartCount = 6;
CostPart PartOf(ProbeGroup group);

struct SecondCost {
  std::array<double, kCostPartCount> part_ns{};
  std::optional<double> target_pct;  // of the CPU time of the recorded processes
  double core_pct = 0;               // of one core
  double recorder_cpu_pct = 0;       // of one core: the recorder's process itself

  double TotalNs() const;
  double NsOf(CostPart part) const { return part_ns[static_cast<size_t>(part)]; }
};

class OverheadMeter {
 public:
  OverheadMeter(Recorder& recorder, const ProbeCosts& costs);

  void Count(CostPart part, uint64_t hit_count);
  // The cost since the last call, also written as counters at `time_ns`.
  SecondCost EndSecond(int64_t time_ns, int64_t elapsed_ns, int64_t target_cpu_ns);
  // The means of the whole recording, as facts of the capture.
  void WriteFacts() const;

 private:
  double NsOfHit(CostPart part) const;

  Recorder& recorder_;
  ProbeCosts costs_;
  std::array<uint64_t, kCostPartCount> hits_{};
  int64_t own_cpu_ns_;
  double sum_ns_ = 0;
  int64_t sum_elapsed_ns_ = 0;
  int64_t sum_target_cpu_ns_ = 0;
  int64_t sum_own_cpu_ns_ = 0;
};

}  // namespace gpuwhy
