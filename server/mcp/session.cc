// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/session.h"

#include <fmt/format.h>

#include <utility>

#include "schema/base/text.h"
#include "server/mcp/batch.h"
#include "server/mcp/era_legacy.h"
#include "server/mcp/era_modern.h"
#include "server/mcp/progress.h"

namespace gpuwhy::mcp {
namespace {

constexpr size_t kMaxBatch = 1000;

void Refuse(const Json& id, const Session::SinkPtr& sink, int code, std::string message) {
  sink->Respond(ErrorText(id, {.code = code, .message = std::move(message)}));
}

void RefuseMethod(const RpcMessage& message, const Session::SinkPtr& sink) {
  Refuse(message.id, sink, kMethodNotFound,
         fmt::format("there is no method {}", CleanText(message.method, 64)));
}

}  // namespace

void Session::OnMessage(std::string_view message, const SinkPtr& sink) {
  auto parsed = ParseJson(message);
  if (const auto* error = std::get_if<RpcError>(&parsed)) {
    sink->Respond(ErrorText(Json(), *error));
    return;
  }
  Json& json = std::get<Json>(parsed);
  if (json.is_array()) return HandleBatch(std::move(json), sink);
  HandleOne(std::move(json), sink);
}

void Session::OnOversized(size_t limit_bytes, const SinkPtr& sink) {
  Refuse(Json(), sink, kInvalidRequest,
         fmt::format("message longer than {}", FormatBytes(static_cast<int64_t>(limit_bytes))));
}

void Session::Close() {
  for (const auto& subscription : calls_.CancelAll()) {
    subscription->Respond(
        ResultText(subscription->id(),
                   DumpJson(modern::SubscriptionEnded(core_.identity(), subscription->id()))));
  }
}

void Session::HandleBatch(Json batch, const SinkPtr& sink) {
  const auto revision = handshake_.load();
  if (!revision || !legacy::HasBatches(*revision)) {
    return Refuse(
        Json(), sink, kInvalidRequest,
        fmt::format("batches exist in protocol version {} only", NameOf(Revision::k20250326)));
  }
  if (batch.empty() || batch.size() > kMaxBatch) {
    return Refuse(Json(), sink, kInvalidRequest,
                  fmt::format("a batch has 1 to {} messages", kMaxBatch));
  }
  const auto gathered = std::make_shared<BatchSink>(sink);
  sink->ReadOn();
  for (Json& json : batch) {
    const std::string* method = json.is_object() ? StringMember(json, "method") : nullptr;
    if (method != nullptr && *method == "initialize") {
      Refuse(json.value("id", Json()), gathered, kInvalidRequest, "initialize is not for batches");
    } else {
      HandleOne(std::move(json), gathered);
    }
  }
}

void Session::HandleOne(Json json, const SinkPtr& sink) {
  auto parsed = ParseMessage(std::move(json));
  if (const auto* failure = std::get_if<RpcFailure>(&parsed)) {
    sink->Respond(ErrorText(failure->id, failure->error));
    return;
  }
  auto& message = std::get<RpcMessage>(parsed);
  switch (message.kind) {
    case RpcMessage::Kind::kRequest:
      return HandleRequest(std::move(message), sink);
    case RpcMessage::Kind::kNotification:
      return HandleNotification(message);
    case RpcMessage::Kind::kResponse:
      return;  // we ask the client nothing
  }
}

void Session::HandleNotification(const RpcMessage& message) {
  if (message.method != "notifications/cancelled") return;
  const auto id = message.params.find("requestId");
  if (id != message.params.end()) calls_.Cancel(DumpJson(*id));
}

std::variant<Revision, RpcError> Session::RevisionFor(const RpcMessage& message) const {
  const auto handshake = handshake_.load();
  if (!modern::IsModern(message.params)) {
    if (handshake) return *handshake;
    if (message.method == "ping") return kNewestLegacy;  // allowed before the handshake
  }
  if (auto error = modern::CheckMeta(message.params)) return *std::move(error);
  return kModern;
}

void Session::HandleRequest(RpcMessage message, const SinkPtr& sink) {
  if (calls_.Contains(DumpJson(message.id))) {
    return Refuse(message.id, sink, kInvalidRequest, "a request with this id is in work");
  }
  if (message.method == "initialize" && !modern::IsModern(message.params)) {
    return Initialize(message, sink);
  }
  auto revision = RevisionFor(message);
  if (const auto* error = std::get_if<RpcError>(&revision)) {
    sink->Respond(ErrorText(message.id, *error));
    return;
  }
  if (std::get<Revision>(revision) == kModern) return HandleModern(std::move(message), sink);
  HandleLegacy(std::move(message), std::get<Revision>(revision), sink);
}

void Session::HandleModern(RpcMessage message, const SinkPtr& sink) {
  if (message.method == "server/discover") {
    return sink->Respond(
        ResultText(message.id, DumpJson(modern::DiscoverResult(core_.identity()))));
  }
  if (message.method == "subscriptions/listen") return Subscribe(message, sink);
  HandleMethod(std::move(message), kModern, sink);
}

void Session::HandleLegacy(RpcMessage message, Revision revision, const SinkPtr& sink) {
  if (message.method == "ping") return sink->Respond(ResultText(message.id, "{}"));
  HandleMethod(std::move(message), revision, sink);
}

void Session::Initialize(const RpcMessage& message, const SinkPtr& sink) {
  const Revision revision = legacy::Negotiate(message.params);
  handshake_ = std::optional(revision);
  sink->Respond(
      ResultText(message.id, DumpJson(legacy::InitializeResult(core_.identity(), revision))));
}

void Session::Subscribe(const RpcMessage& message, const SinkPtr& sink) {
  if (ObjectMember(message.params, "notifications") == nullptr) {
    return Refuse(message.id, sink, kInvalidParams, "params.notifications must be an object");
  }
  const auto call = std::make_shared<Call>(message.id, sink);
  if (calls_.AddSubscription(call)) {
    call->Notify(NotificationText("notifications/subscriptions/acknowledged",
                                  modern::SubscriptionAcknowledged(message.id)));
  }
}

void Session::HandleMethod(RpcMessage message, Revision revision, const SinkPtr& sink) {
  const Method* method = core_.Find(message.method);
  if (method == nullptr) return RefuseMethod(message, sink);
  if (method->kind == Method::Kind::kLong) {
    return StartLong(std::move(message), *method, revision, sink);
  }
  const MethodCall call{.params = message.params, .is_modern = revision == kModern};
  sink->Respond(core_.Answer(message.id, *method, revision, call));
}

void Session::StartLong(RpcMessage message, const Method& method, Revision revision,
                        const SinkPtr& sink) {
  const auto call = std::make_shared<Call>(message.id, sink);
  // The closure is copied when it has to wait; sharing keeps that cheap.
  const auto shared = std::make_shared<const RpcMessage>(std::move(message));
  CallTable::Task task{
      call, [this, shared, &method, revision, call] { RunLong(*shared, method, revision, call); }};
  switch (calls_.Admit(task)) {
    case CallTable::Admission::kRun:
      sink->ReadOn();
      for (; task.call; task = calls_.Finish(*task.call))
        task.work();
      return;
    case CallTable::Admission::kWait:
      return;
    case CallTable::Admission::kDuplicate:
      return Refuse(call->id(), sink, kInvalidRequest, "a request with this id is in work");
    case CallTable::Admission::kFull:
      return Refuse(call->id(), sink, kInternalError, "too many calls wait: try again later");
  }
}

void Session::RunLong(const RpcMessage& message, const Method& method, Revision revision,
                      const std::shared_ptr<Call>& call) {
  call->Respond(core_.Answer(message.id, method, revision,
                             {.params = message.params,
                              .stop = call->StopToken(),
                              .progress = ProgressReporter(message.params, call),
                              .is_modern = revision == kModern}));
}

}  // namespace gpuwhy::mcp
