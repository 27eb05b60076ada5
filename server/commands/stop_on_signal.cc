// SPDX-License-Identifier: Apache-2.0
#include "server/commands/stop_on_signal.h"

#include <ctime>

namespace gpuwhy {

StopOnSignal::StopOnSignal() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  waiter_ = std::jthread([this](const std::stop_token& ended) {
    constexpr timespec kPollEvery{.tv_sec = 0, .tv_nsec = 100'000'000};
    while (!ended.stop_requested()) {
      if (sigtimedwait(&signals_, nullptr, &kPollEvery) > 0) stop_.request_stop();
    }
  });
}

StopOnSignal::~StopOnSignal() {
  waiter_.request_stop();
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

}  // namespace gpuwhy
