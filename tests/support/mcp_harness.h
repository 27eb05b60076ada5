// SPDX-License-Identifier: Apache-2.0
// A session of the server without a transport: messages go in as text, what comes back is kept as
// JSON. Calls that run long may answer from another thread, so reading what came is locked.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/mcp/core.h"
#include "server/mcp/serve.h"
#include "server/mcp/session.h"
#include "tests/support/temp_dir.h"

namespace gpuwhy {

class McpHarness {
 public:
  // Without traces, unless AddTrace is called.
  explicit McpHarness(const mcp::CallTable::Limits& limits = {});

  // A small trace with processes "python3" and "nvidia-smi".
  void AddTrace(const std::string& name);

  // Sends one message on this thread; returns what was sent back meanwhile.
  std::vector<Json> Send(std::string_view message);
  // Like Send, for messages that have exactly one answer.
  Json Ask(std::string_view message);
  // A request of 2026-07-28 with these params beside _meta.
  Json AskModern(std::string_view method, Json params = Json::object());
  // A request after initialize with this protocol version.
  Json AskLegacy(std::string_view method, Json params = Json::object());
  void Initialize(std::string_view version = "2025-11-25");

  // Everything sent so far that no Send has returned.
  std::vector<Json> Take();
  mcp::Session& session() { return *session_; }
  const std::shared_ptr<MessageSink>& sink() const { return sink_; }
  TraceSet& traces() { return traces_; }

 private:
  class Sink;

  TempDir directory_;
  TraceSet traces_;
  std::unique_ptr<mcp::Core> core_;
  std::unique_ptr<mcp::Session> session_;
  std::shared_ptr<MessageSink> sink_;
  std::mutex mutex_;
  std::vector<Json> sent_;
  int next_id_ = 100;
};

// The _meta of a request of 2026-07-28.
Json ModernMeta();

}  // namespace gpuwhy
