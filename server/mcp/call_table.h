// SPDX-License-Identifier: Apache-2.0
// The calls of one session: finds them by id to cancel them, keeps the number that run at once
// under a cap, lets the rest wait in order, and stops those that exceed the time limit. Runs no
// call itself: whoever finishes one is handed the next. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "server/mcp/call.h"

namespace gpuwhy::mcp {

class CallTable {
 public:
  struct Limits {
    size_t max_running = 2;
    size_t max_waiting = 1024;
    std::chrono::milliseconds call_limit{30'000};
  };
  struct Task {
    std::shared_ptr<Call> call;  // null: no task
    std::function<void()> work;
  };
  enum class Admission { kRun, kWait, kDuplicate, kFull };

  explicit CallTable(const Limits& limits) : limits_(limits) {}

  // kRun: the caller does the work now, then asks Finish for more. kWait: the table keeps it.
  Admission Admit(const Task& task);
  // Takes a call that ran out of the table; returns the next task, if one waits.
  Task Finish(const Call& call);

  // A call that lasts until it is cancelled and needs no thread. False: the id is taken.
  bool AddSubscription(const std::shared_ptr<Call>& call);
  bool Contains(const std::string& key) const;
  void Cancel(const std::string& key);
  // Cancels all but the subscriptions, which are returned.
  std::vector<std::shared_ptr<Call>> CancelAll();

 private:
  struct Running {
    std::shared_ptr<Call> call;
    std::chrono::steady_clock::time_point deadline;
  };

  void Start(const std::shared_ptr<Call>& call);  // mutex_ is held
  void Watch(const std::stop_token& stop);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Call>> by_key_;
  std::vector<std::shared_ptr<Call>> subscriptions_;
  std::vector<Running> running_;
  std::deque<Task> waiting_;
  std::condition_variable_any watch_changed_;
  bool is_watch_asleep_ = false;
  std::jthread watch_;  // started with the first call; last, so that it ends first
};

}  // namespace gpuwhy::mcp
