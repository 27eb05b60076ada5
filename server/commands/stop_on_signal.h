// SPDX-License-Identifier: Apache-2.0
// Turns Ctrl-C and SIGTERM into a stop token for the life of the object, so that a command can tidy
// up. Make one before other threads start: they inherit the signal mask.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace gpuwhy {

class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  sigset_t signals_{};
  sigset_t previous_{};
  std::jthread waiter_;
};

}  // namespace gpuwhy
