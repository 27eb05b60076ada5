// SPDX-License-Identifier: Apache-2.0
// One request in work: whether it may still answer, and how to stop it. Any thread.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "server/transport/message_handler.h"
#include "tools/json.h"

namespace gpuwhy::mcp {

class Call {
 public:
  Call(Json id, std::shared_ptr<MessageSink> sink) : id_(std::move(id)), sink_(std::move(sink)) {}

  const Json& id() const { return id_; }
  std::string Key() const { return DumpJson(id_); }  // "1" and 1 are two ids
  std::stop_token StopToken() const { return stop_.get_token(); }

  void Respond(std::string_view message) {
    const std::lock_guard lock(mutex_);
    if (!is_silent_) sink_->Respond(message);
  }
  void Notify(std::string_view message) {
    const std::lock_guard lock(mutex_);
    if (!is_silent_) sink_->Notify(message);
  }

  // Ends the work; an answer may still be given.
  void Stop() { stop_.request_stop(); }
  // After this returns, nothing is sent for the call.
  void Cancel() {
    {
      const std::lock_guard lock(mutex_);
      is_silent_ = true;
    }
    Stop();
  }
  bool IsCancelled() const {
    const std::lock_guard lock(mutex_);
    return is_silent_;
  }

 private:
  const Json id_;
  const std::shared_ptr<MessageSink> sink_;
  std::stop_source stop_;
  mutable std::mutex mutex_;
  bool is_silent_ = false;
};

}  // namespace gpuwhy::mcp
