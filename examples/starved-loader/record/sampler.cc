// SPDX-License-Identifier: Apache-2.0
#include "examples/starved-loader/record/sampler.h"

#include <execinfo.h>
#include <sys/time.h>

#include <algorithm>
#include <csignal>

#include "examples/starved-loader/record/clock.h"

namespace gpuwhy::starved_loader {
namespace {

// A signal handler has no arguments of ours.
WorkerLog* sampled_log = nullptr;

// The innermost frames of a sample are the handler and the kernel's trampoline.
constexpr int kHandlerFrames = 2;

void TakeSample(int /*signal*/) {
  StackRecord record{.time_ns = NowNs()};
  void* addresses[kMaxStackDepth + kHandlerFrames];
  const int depth = backtrace(addresses, kMaxStackDepth + kHandlerFrames) - kHandlerFrames;
  if (depth <= 0) return;
  std::copy_n(addresses + kHandlerFrames, depth, record.addresses);
  record.depth = depth;
  sampled_log->stacks.Add(record);
}

Status SetTimer(int64_t period_us) {
  itimerval timer{};
  timer.it_interval.tv_usec = period_us;
  timer.it_value = timer.it_interval;
  if (setitimer(ITIMER_PROF, &timer, nullptr) != 0) return Unavailable("cannot set a timer");
  return {};
}

}  // namespace

Status StartSampling(WorkerLog& log) {
  sampled_log = &log;
  void* first[1];
  backtrace(first, 1);  // loads its library, which a handler must not
  struct sigaction action {};
  action.sa_handler = &TakeSample;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGPROF, &action, nullptr) != 0) return Unavailable("cannot handle SIGPROF");
  return SetTimer(1'000'000 / kSamplesPerSecond);
}

void StopSampling() {
  (void)SetTimer(0);
}

}  // namespace gpuwhy::starved_loader
