// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/engine.h"

#include <algorithm>

namespace gpuwhy::simgpu {
namespace {

// Gaps of the past only matter to work that follows a collective, which is placed a little late.
constexpr size_t kRememberedIntervals = 512;

}  // namespace

const char* EngineName(EngineKind kind) {
  constexpr const char* kNames[] = {"none", "compute", "h2d", "d2h", "link"};
  return kNames[static_cast<size_t>(kind)];
}

int64_t Engine::Place(int64_t ready_ns, int64_t duration_ns) {
  int64_t start_ns = std::max(ready_ns, forgotten_until_ns_);
  size_t position = busy_.size();
  while (position > 0 && busy_[position - 1].end_ns > start_ns)
    --position;
  for (; position < busy_.size(); ++position) {
    if (start_ns + duration_ns <= busy_[position].start_ns) break;
    start_ns = std::max(start_ns, busy_[position].end_ns);
  }
  Insert(position, {.start_ns = start_ns, .end_ns = start_ns + duration_ns});
  return start_ns;
}

void Engine::Insert(size_t position, const Interval& interval) {
  if (position > 0 && busy_[position - 1].end_ns == interval.start_ns) {
    busy_[position - 1].end_ns = interval.end_ns;
    return;
  }
  busy_.insert(busy_.begin() + static_cast<std::ptrdiff_t>(position), interval);
  if (busy_.size() <= kRememberedIntervals) return;
  forgotten_until_ns_ = busy_.front().end_ns;
  busy_.pop_front();
}

}  // namespace gpuwhy::simgpu
