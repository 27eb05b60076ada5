// SPDX-License-Identifier: Apache-2.0
// What all sessions share: who we are and which methods there are. Runs a method and dresses its
// result for a revision of the protocol. Immutable but for the results rendered once; any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/mcp/method.h"
#include "server/mcp/revision.h"

namespace gpuwhy::mcp {

class Core {
 public:
  Core(ServerIdentity identity, std::vector<Method> methods)
      : identity_(std::move(identity)), methods_(std::move(methods)) {}

  const ServerIdentity& identity() const { return identity_; }
  const Method* Find(std::string_view name) const;
  // The whole message that answers request `id`.
  std::string Answer(const Json& id, const Method& method, Revision revision,
                     const MethodCall& call) const;

 private:
  std::variant<std::string, RpcError> Run(const Method& method, Revision revision,
                                          const MethodCall& call) const;
  std::variant<std::string, RpcError> RunOnce(const Method& method, Revision revision,
                                              const MethodCall& call) const;

  ServerIdentity identity_;
  std::vector<Method> methods_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<const Method*, Revision>, std::string> rendered_;
};

}  // namespace gpuwhy::mcp
