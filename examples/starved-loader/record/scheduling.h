// SPDX-License-Identifier: Apache-2.0
// What a thread can measure of its own scheduling without privileges. Of a wait that it asks for:
// the time between entry and return, less the CPU time it used meanwhile. Of a pre-emption: a jump
// of the clock between two looks that are microseconds apart in the code. The time ready but
// without a core comes from the kernel (/proc/thread-self/schedstat). One thread each.
#pragma once

#include <cstdint>

#include "examples/starved-loader/record/clock.h"
#include "examples/starved-loader/record/logs.h"

namespace gpuwhy::starved_loader {

// The kernel's account of the calling thread's time on run queues. Keeps the file open; opened by
// the thread that it measures.
class RunQueueClock {
 public:
  RunQueueClock();
  ~RunQueueClock();
  RunQueueClock(const RunQueueClock&) = delete;
  RunQueueClock& operator=(const RunQueueClock&) = delete;

  bool is_available() const { return fd_ >= 0; }
  int64_t ReadNs() const;

 private:
  int fd_;
};

// Around one blocking call: construct, block, then Finish.
class BlockingWait {
 public:
  explicit BlockingWait(const RunQueueClock& run_queue);
  WaitRecord Finish(int waker) const;

 private:
  const RunQueueClock& run_queue_;
  int64_t runnable_ns_;
  int64_t cpu_ns_;
  int64_t start_ns_;
};

// Look() is called often from code that never waits.
class PreemptionWatch {
 public:
  PreemptionWatch(const RunQueueClock& run_queue, WorkerLog& log)
      : run_queue_(run_queue), log_(log) {}

  void Begin();
  void Look() {
    const int64_t now_ns = NowNs();
    if (now_ns - last_look_ns_ > kJumpNs) NoteJump(now_ns);
    last_look_ns_ = now_ns;
  }

 private:
  // The work between two looks takes below 60 us; the kernel's time slices are above 1 ms.
  static constexpr int64_t kJumpNs = 400'000;
  void NoteJump(int64_t now_ns);

  const RunQueueClock& run_queue_;
  WorkerLog& log_;
  int64_t last_look_ns_ = 0;
  int64_t last_runnable_ns_ = 0;
};

}  // namespace gpuwhy::starved_loader
