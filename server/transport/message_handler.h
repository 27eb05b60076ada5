// SPDX-License-Identifier: Apache-2.0
// The seam between transports and protocol: a transport hands over whole messages as bytes and a
// sink for what comes back. Neither side knows the other. HTTP is one more pair of these.
#pragma once

#include <memory>
#include <string_view>

namespace gpuwhy {

// Where the answers to one message go. Any thread may send; each text is one whole message without
// a line break.
class MessageSink {
 public:
  MessageSink() = default;
  MessageSink(const MessageSink&) = delete;
  MessageSink& operator=(const MessageSink&) = delete;
  virtual ~MessageSink() = default;

  virtual void Respond(std::string_view message) = 0;
  virtual void Notify(std::string_view message) = 0;
  // The message has been understood and may take long: the transport may read on. Called at most
  // once a message, by the thread that handles it; the bytes of the message are invalid afterwards.
  virtual void ReadOn() {}
};

class MessageHandler {
 public:
  MessageHandler() = default;
  MessageHandler(const MessageHandler&) = delete;
  MessageHandler& operator=(const MessageHandler&) = delete;
  virtual ~MessageHandler() = default;

  // The sink is shared because a call that waits for its turn outlives the exchange.
  virtual void OnMessage(std::string_view message, const std::shared_ptr<MessageSink>& sink) = 0;
  // A message longer than the transport takes has been thrown away.
  virtual void OnOversized(size_t limit_bytes, const std::shared_ptr<MessageSink>& sink) = 0;
};

}  // namespace gpuwhy
