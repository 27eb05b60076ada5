// SPDX-License-Identifier: Apache-2.0
// One client: takes messages as bytes, decides by which revision of the protocol each is served,
// and answers through the sink that came with it. Knows neither tools nor transports. Messages that
// change the session are done when OnMessage has let the transport read on.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "server/mcp/call_table.h"
#include "server/mcp/core.h"
#include "server/transport/message_handler.h"

namespace gpuwhy::mcp {

class Session : public MessageHandler {
 public:
  using SinkPtr = std::shared_ptr<MessageSink>;

  Session(const Core& core, const CallTable::Limits& limits) : core_(core), calls_(limits) {}

  void OnMessage(std::string_view message, const SinkPtr& sink) override;
  void OnOversized(size_t limit_bytes, const SinkPtr& sink) override;
  // The client is gone or told to go: ends subscriptions and cancels what runs.
  void Close();

 private:
  void HandleBatch(Json batch, const SinkPtr& sink);
  void HandleOne(Json json, const SinkPtr& sink);
  void HandleNotification(const RpcMessage& message);
  void HandleRequest(RpcMessage message, const SinkPtr& sink);
  void HandleLegacy(RpcMessage message, Revision revision, const SinkPtr& sink);
  void HandleModern(RpcMessage message, const SinkPtr& sink);
  void HandleMethod(RpcMessage message, Revision revision, const SinkPtr& sink);
  void Initialize(const RpcMessage& message, const SinkPtr& sink);
  void Subscribe(const RpcMessage& message, const SinkPtr& sink);
  void StartLong(RpcMessage message, const Method& method, Revision revision, const SinkPtr& sink);
  void RunLong(const RpcMessage& message, const Method& method, Revision revision,
               const std::shared_ptr<Call>& call);
  std::variant<Revision, RpcError> RevisionFor(const RpcMessage& message) const;

  const Core& core_;
  std::atomic<std::optional<Revision>> handshake_ = std::optional<Revision>();
  CallTable calls_;
};

}  // namespace gpuwhy::mcp
