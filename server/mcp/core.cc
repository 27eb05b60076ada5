// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/core.h"

#include <algorithm>
#include <exception>

#include "schema/base/text.h"
#include "server/mcp/era_legacy.h"
#include "server/mcp/era_modern.h"

namespace gpuwhy::mcp {
namespace {

// Libraries throw where we do not: whatever gets here is our bug and must not end the process.
Outcome RunSafely(const Method& method, const MethodCall& call) {
  try {
    return method.run(call);
  } catch (const std::exception& error) {
    return RpcError{.code = kInternalError,
                    .message = "internal error: " + CleanText(error.what())};
  }
}

}  // namespace

const Method* Core::Find(std::string_view name) const {
  const auto it = std::find_if(methods_.begin(), methods_.end(),
                               [&](const Method& method) { return method.name == name; });
  return it == methods_.end() ? nullptr : &*it;
}

std::string Core::Answer(const Json& id, const Method& method, Revision revision,
                         const MethodCall& call) const {
  const auto reply = method.kind == Method::Kind::kStatic ? RunOnce(method, revision, call)
                                                          : Run(method, revision, call);
  if (const auto* error = std::get_if<RpcError>(&reply)) return ErrorText(id, *error);
  return ResultText(id, std::get<std::string>(reply));
}

std::variant<std::string, RpcError> Core::Run(const Method& method, Revision revision,
                                              const MethodCall& call) const {
  Outcome outcome = RunSafely(method, call);
  if (auto* error = std::get_if<RpcError>(&outcome)) return std::move(*error);
  Json& result = std::get<Json>(outcome);
  if (revision != kModern) {
    legacy::Finish(revision, result);
  } else if (method.is_cacheable) {
    modern::FinishCacheable(identity_, method.cache, result);
  } else {
    modern::Finish(identity_, result);
  }
  return DumpJson(result);
}

std::variant<std::string, RpcError> Core::RunOnce(const Method& method, Revision revision,
                                                  const MethodCall& call) const {
  if (auto error = CheckCursor(call.params)) return *std::move(error);
  const std::lock_guard lock(mutex_);
  auto& text = rendered_[{&method, revision}];
  if (text.empty()) {
    auto reply = Run(method, revision, call);
    if (std::holds_alternative<RpcError>(reply)) return reply;
    text = std::get<std::string>(std::move(reply));
  }
  return text;
}

}  // namespace gpuwhy::mcp
