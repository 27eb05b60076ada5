// SPDX-License-Identifier: Apache-2.0
// Gathers the responses to a batch (2025-03-26) and sends them as one array once the last call of
// the batch has let go of it. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "server/transport/message_handler.h"

namespace gpuwhy::mcp {

class BatchSink : public MessageSink {
 public:
  explicit BatchSink(std::shared_ptr<MessageSink> inner) : inner_(std::move(inner)) {}
  ~BatchSink() override {
    if (!responses_.empty()) inner_->Respond(responses_ + "]");
  }
  BatchSink(const BatchSink&) = delete;
  BatchSink& operator=(const BatchSink&) = delete;

  void Respond(std::string_view message) override {
    const std::lock_guard lock(mutex_);
    responses_ += responses_.empty() ? "[" : ",";
    responses_ += message;
  }
  void Notify(std::string_view message) override { inner_->Notify(message); }

 private:
  const std::shared_ptr<MessageSink> inner_;
  std::mutex mutex_;
  std::string responses_;
};

}  // namespace gpuwhy::mcp
