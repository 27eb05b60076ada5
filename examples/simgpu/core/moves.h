// SPDX-License-Identifier: Apache-2.0
// What asynchronous operations do to real memory: copies, fills, the release of freed memory. The
// device has no thread, and a pinned copy must return at once; so the bytes move, in order of
// submission, in the first call that could notice (synchronisation, query). Who waits there for
// the device would sleep meanwhile. Any thread; under its own mutex.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "examples/simgpu/core/visibility.h"

namespace gpuwhy::simgpu {

using Move = std::function<void()>;

class SIMGPU_SHARED Moves {
 public:
  static Moves& Get();

  void Add(Move move);
  void MakeAll();

 private:
  std::mutex mutex_;
  std::deque<Move> moves_;
};

}  // namespace gpuwhy::simgpu
