// SPDX-License-Identifier: Apache-2.0
// Turns Ctrl-C, SIGTERM and the end of the terminal (SIGHUP) into a stop token for the life of the
// object, so that a command can tidy up however often it is asked to hurry. Make one before other
// threads start: they inherit the signal mask.
#pragma once

#include <atomic>
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
  // How often it was asked to stop.
  int count() const { return count_; }
  // The last signal, when it was sent to this process alone: the programs that it started have not
  // got it. 0 otherwise: a terminal tells all of them.
  int to_pass_on() const { return to_pass_on_; }

 private:
  void Wait(const std::stop_token& ended);

  std::stop_source stop_;
  sigset_t signals_{};
  sigset_t previous_{};
  std::atomic<int> count_ = 0;
  std::atomic<int> to_pass_on_ = 0;
  std::jthread waiter_;
};

}  // namespace gpuwhy
