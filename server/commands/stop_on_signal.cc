// SPDX-License-Identifier: Apache-2.0
#include "server/commands/stop_on_signal.h"

#include <ctime>

namespace gpuwhy {
namespace {

// nohup asks to survive the terminal. (Shells ignore SIGINT for what scripts run in the background,
// but kill -INT is how scripts end a recording.)
bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopOnSignal::StopOnSignal() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  if (!IsIgnored(SIGHUP)) sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
  waiter_ = std::jthread([this](const std::stop_token& ended) { Wait(ended); });
}

void StopOnSignal::Wait(const std::stop_token& ended) {
  constexpr timespec kPollEvery{.tv_sec = 0, .tv_nsec = 100'000'000};
  while (!ended.stop_requested()) {
    siginfo_t info{};
    const int signal = sigtimedwait(&signals_, &info, &kPollEvery);
    if (signal <= 0) continue;
    to_pass_on_ = info.si_code == SI_KERNEL ? 0 : signal;
    ++count_;
    stop_.request_stop();
  }
}

StopOnSignal::~StopOnSignal() {
  waiter_.request_stop();
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

}  // namespace gpuwhy
