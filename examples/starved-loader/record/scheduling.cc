// SPDX-License-Identifier: Apache-2.0
#include "examples/starved-loader/record/scheduling.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace gpuwhy::starved_loader {

RunQueueClock::RunQueueClock() : fd_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

RunQueueClock::~RunQueueClock() {
  if (fd_ >= 0) close(fd_);
}

// "8157418 73577956 3": ns on a core, ns on a run queue, time slices.
int64_t RunQueueClock::ReadNs() const {
  char buffer[96];
  const ssize_t length = pread(fd_, buffer, sizeof buffer, 0);
  if (length <= 0) return 0;
  const std::string_view text(buffer, static_cast<size_t>(length));
  const size_t space = text.find(' ');
  int64_t runnable_ns = 0;
  if (space != std::string_view::npos) {
    std::from_chars(text.data() + space + 1, text.data() + text.size(), runnable_ns);
  }
  return runnable_ns;
}

BlockingWait::BlockingWait(const RunQueueClock& run_queue)
    : run_queue_(run_queue),
      runnable_ns_(run_queue.ReadNs()),
      cpu_ns_(ReadClockNs(CLOCK_THREAD_CPUTIME_ID)),
      start_ns_(NowNs()) {}

WaitRecord BlockingWait::Finish(int waker) const {
  const int64_t end_ns = NowNs();
  const int64_t cpu_ns = ReadClockNs(CLOCK_THREAD_CPUTIME_ID) - cpu_ns_;
  const int64_t off_cpu_ns = std::max<int64_t>(end_ns - start_ns_ - cpu_ns, 0);
  const int64_t runnable_ns = run_queue_.ReadNs() - runnable_ns_;
  return {.start_ns = start_ns_,
          .duration_ns = off_cpu_ns,
          .runnable_ns = std::clamp<int64_t>(runnable_ns, 0, off_cpu_ns),
          .reason = WaitReason::kAsked,
          .waker = waker};
}

void PreemptionWatch::Begin() {
  last_runnable_ns_ = run_queue_.ReadNs();
  last_look_ns_ = NowNs();
}

void PreemptionWatch::NoteJump(int64_t now_ns) {
  const int64_t runnable_ns = run_queue_.ReadNs();
  const int64_t duration_ns = now_ns - last_look_ns_;
  const int64_t waited_ns = std::clamp<int64_t>(runnable_ns - last_runnable_ns_, 0, duration_ns);
  last_runnable_ns_ = runnable_ns;
  log_.waits.Add(
      {.start_ns = last_look_ns_,
       .duration_ns = duration_ns,
       .runnable_ns = waited_ns,
       .reason = waited_ns * 2 >= duration_ns ? WaitReason::kPreempted : WaitReason::kUnknown});
}

}  // namespace gpuwhy::starved_loader
