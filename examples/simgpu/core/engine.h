// SPDX-License-Identifier: Apache-2.0
// One engine of the device (compute, a copy direction): the times at which it is taken. It works on
// one thing at a time and takes the first gap that is long enough, so that work that is ready is
// not held up by work that still waits. The Device's mutex protects it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace gpuwhy::simgpu {

enum class EngineKind {
  kNone,  // markers of events: no work
  kCompute,
  kH2D,
  kD2H,
  kLink,  // collectives: overlap with everything
};

const char* EngineName(EngineKind kind);

class Engine {
 public:
  // Takes `duration_ns` from `ready_ns` on; returns the start.
  int64_t Place(int64_t ready_ns, int64_t duration_ns);

 private:
  struct Interval {
    int64_t start_ns;
    int64_t end_ns;
  };
  void Insert(size_t position, const Interval& interval);

  std::deque<Interval> busy_;  // by start, without overlap, touching ones merged
  int64_t forgotten_until_ns_ = 0;
};

}  // namespace gpuwhy::simgpu
