// SPDX-License-Identifier: Apache-2.0
#include "tests/support/mcp_harness.h"

#include <utility>

#include "server/mcp/bindings.h"
#include "tests/catch.h"
#include "tests/support/fake_tools.h"

namespace gpuwhy {

class McpHarness::Sink : public MessageSink {
 public:
  explicit Sink(McpHarness& harness) : harness_(harness) {}
  void Respond(std::string_view message) override {
    const std::lock_guard lock(harness_.mutex_);
    harness_.sent_.push_back(Json::parse(message));
  }
  void Notify(std::string_view message) override { Respond(message); }

 private:
  McpHarness& harness_;
};

McpHarness::McpHarness(const mcp::CallTable::Limits& limits) {
  mcp::ServerIdentity identity{.version = "1.2.3", .instructions = "Read the overview first."};
  identity.capabilities = {{"tools", {{"listChanged", false}}}};
  const McpOptions options{.traces = &traces_,
                           .tools = FakeTools(),
                           .detectors = FakeDetectors(),
                           .call_limit = limits.call_limit};
  core_ = std::make_unique<mcp::Core>(std::move(identity), mcp::BindMethods(options));
  session_ = std::make_unique<mcp::Session>(*core_, limits);
  sink_ = std::make_shared<Sink>(*this);
}

void McpHarness::AddTrace(const std::string& name) {
  const std::string path = directory_.File(name + ".db");
  auto db = TraceDb::OpenForWriting(path);
  REQUIRE(db.ok());
  REQUIRE(db.value()
              .Execute("INSERT INTO process (id, capture_id, pid, name) VALUES (1, 1, 10, "
                       "'python3'), (2, 1, 11, 'nvidia-smi')")
              .ok());
  traces_.Add(path);
}

std::vector<Json> McpHarness::Send(std::string_view message) {
  session_->OnMessage(message, sink_);
  return Take();
}

std::vector<Json> McpHarness::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(sent_, {});
}

Json McpHarness::Ask(std::string_view message) {
  std::vector<Json> answers = Send(message);
  REQUIRE(answers.size() == 1);
  return std::move(answers.front());
}

Json McpHarness::AskLegacy(std::string_view method, Json params) {
  return Ask(DumpJson(
      {{"jsonrpc", "2.0"}, {"id", ++next_id_}, {"method", method}, {"params", std::move(params)}}));
}

Json McpHarness::AskModern(std::string_view method, Json params) {
  params["_meta"] = ModernMeta();
  return AskLegacy(method, std::move(params));
}

void McpHarness::Initialize(std::string_view version) {
  const Json answer = AskLegacy("initialize", {{"protocolVersion", version},
                                               {"capabilities", Json::object()},
                                               {"clientInfo", {{"name", "t"}, {"version", "1"}}}});
  REQUIRE(answer["result"]["protocolVersion"] == version);
}

Json ModernMeta() {
  return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
          {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
}

}  // namespace gpuwhy
