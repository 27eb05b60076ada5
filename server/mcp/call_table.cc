// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/call_table.h"

#include <algorithm>

namespace gpuwhy::mcp {
namespace {

constexpr std::chrono::milliseconds kMinWatchPeriod{10};
constexpr std::chrono::milliseconds kMaxWatchPeriod{1000};

}  // namespace

void CallTable::Start(const std::shared_ptr<Call>& call) {
  running_.push_back({call, std::chrono::steady_clock::now() + limits_.call_limit});
  if (!watch_.joinable()) {
    watch_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
  } else if (is_watch_asleep_) {
    is_watch_asleep_ = false;
    watch_changed_.notify_one();
  }
}

CallTable::Admission CallTable::Admit(const Task& task) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= limits_.max_waiting) return Admission::kFull;
  if (!by_key_.emplace(task.call->Key(), task.call).second) return Admission::kDuplicate;
  if (running_.size() >= limits_.max_running) {
    waiting_.push_back(task);
    return Admission::kWait;
  }
  Start(task.call);
  return Admission::kRun;
}

CallTable::Task CallTable::Finish(const Call& call) {
  const std::lock_guard lock(mutex_);
  // After a cancellation the id may belong to a later call already.
  const auto entry = by_key_.find(call.Key());
  if (entry != by_key_.end() && entry->second.get() == &call) by_key_.erase(entry);
  std::erase_if(running_, [&](const Running& running) { return running.call.get() == &call; });
  while (!waiting_.empty()) {
    Task next = std::move(waiting_.front());
    waiting_.pop_front();
    if (next.call->IsCancelled()) continue;
    Start(next.call);
    return next;
  }
  return {};
}

bool CallTable::AddSubscription(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(mutex_);
  if (!by_key_.emplace(call->Key(), call).second) return false;
  subscriptions_.push_back(call);
  return true;
}

bool CallTable::Contains(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return by_key_.contains(key);
}

void CallTable::Cancel(const std::string& key) {
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = by_key_.find(key);
    if (entry == by_key_.end()) return;  // unknown or finished: the protocol says to ignore it
    call = std::move(entry->second);
    by_key_.erase(entry);
    std::erase(subscriptions_, call);
  }
  call->Cancel();
}

std::vector<std::shared_ptr<Call>> CallTable::CancelAll() {
  std::vector<std::shared_ptr<Call>> subscriptions;
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(mutex_);
    subscriptions.swap(subscriptions_);
    for (const Running& running : running_)
      calls.push_back(running.call);
    for (const Task& waiting : waiting_)
      calls.push_back(waiting.call);
    waiting_.clear();
    by_key_.clear();
  }
  for (const auto& call : calls)
    call->Cancel();
  return subscriptions;
}

// Looks now and then instead of being told of each call: a call costs no wake-up of this thread but
// one a period, and an idle session none.
void CallTable::Watch(const std::stop_token& stop) {
  const auto period = std::clamp(limits_.call_limit / 8, kMinWatchPeriod, kMaxWatchPeriod);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (running_.empty()) {
      is_watch_asleep_ = true;
      watch_changed_.wait(lock, stop, [this] { return !is_watch_asleep_; });
    }
    watch_changed_.wait_for(lock, stop, period, [] { return false; });
    const auto now = std::chrono::steady_clock::now();
    for (const Running& running : running_) {
      if (running.deadline <= now) running.call->Stop();
    }
  }
}

}  // namespace gpuwhy::mcp
