// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/session.h"

#include <thread>

#include "tests/catch.h"
#include "tests/support/fake_tools.h"
#include "tests/support/mcp_harness.h"

namespace gpuwhy::mcp {
namespace {

constexpr std::string_view kWait =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_stopped"}})";
constexpr std::string_view kCancel =
    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";

void AwaitWaiting(int count) {
  while (waiting_call_count != count)
    std::this_thread::yield();
}

}  // namespace

TEST_CASE("mcp session: garbage is answered and the session lives on", "[mcp]") {
  McpHarness harness;
  harness.Initialize();

  CHECK(harness.Ask("{not json")["error"]["code"] == kParseError);
  CHECK(harness.Ask("{not json")["id"].is_null());
  CHECK(harness.Ask("42")["error"]["code"] == kInvalidRequest);
  CHECK(harness.AskLegacy("ping").contains("result"));
}

TEST_CASE("mcp session: notifications and responses are not answered", "[mcp]") {
  McpHarness harness;
  const auto text =
      GENERATE(as<std::string_view>(), R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
               R"({"jsonrpc":"2.0","method":"no/such/notification","params":{"a":1}})",
               R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
               R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})",
               R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}})",
               R"({"jsonrpc":"2.0","id":5,"result":{}})");

  CHECK(harness.Send(text).empty());
}

TEST_CASE("mcp session: a cancelled call stops and is never answered", "[mcp]") {
  McpHarness harness;
  harness.Initialize();
  const int stopped_before = stopped_call_count;
  std::thread caller([&] { harness.session().OnMessage(kWait, harness.sink()); });
  AwaitWaiting(1);

  harness.Send(kCancel);
  caller.join();

  CHECK(stopped_call_count == stopped_before + 1);
  CHECK(harness.Take().empty());
}

TEST_CASE("mcp session: an id in work cannot be used again", "[mcp]") {
  McpHarness harness;
  harness.Initialize();
  std::thread caller([&] { harness.session().OnMessage(kWait, harness.sink()); });
  AwaitWaiting(1);

  const Json second = harness.Ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  const Json other = harness.Ask(R"({"jsonrpc":"2.0","id":"1","method":"ping"})");
  harness.Send(kCancel);
  caller.join();

  CHECK(second["error"]["code"] == kInvalidRequest);
  CHECK(other.contains("result"));
}

TEST_CASE("mcp session: a call over the time limit is stopped and says so", "[mcp]") {
  McpHarness harness({.call_limit = std::chrono::milliseconds(20)});
  harness.Initialize();

  const Json result = harness.Ask(kWait)["result"];

  CHECK(result["isError"] == true);
  CHECK(result["content"][0]["text"].get<std::string>().find("was stopped after") !=
        std::string::npos);
}

TEST_CASE("mcp session: calls over the cap wait for their turn, in order", "[mcp]") {
  McpHarness harness({.max_running = 1});
  harness.Initialize();
  std::thread caller([&] { harness.session().OnMessage(kWait, harness.sink()); });
  AwaitWaiting(1);
  const auto echo = [&](int id) {
    return harness.Send(
        DumpJson({{"jsonrpc", "2.0"},
                  {"id", id},
                  {"method", "tools/call"},
                  {"params", {{"name", "echo_text"}, {"arguments", {{"text", "e"}}}}}}));
  };

  const bool none_answered = echo(2).empty() && echo(3).empty() && echo(4).empty();
  harness.Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})");
  harness.Send(kCancel);
  caller.join();
  const std::vector<Json> answers = harness.Take();

  CHECK(none_answered);
  REQUIRE(answers.size() == 2);
  CHECK(answers[0]["id"] == 2);
  CHECK(answers[1]["id"] == 4);
}

TEST_CASE("mcp session: too many waiting calls are refused", "[mcp]") {
  McpHarness harness({.max_running = 1, .max_waiting = 1});
  harness.Initialize();
  std::thread caller([&] { harness.session().OnMessage(kWait, harness.sink()); });
  AwaitWaiting(1);

  const auto waits = harness.Send(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait_stopped"}})");
  const Json refused = harness.Ask(
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait_stopped"}})");
  harness.session().Close();
  caller.join();

  CHECK(waits.empty());
  CHECK(refused["error"]["code"] == kInternalError);
  CHECK(harness.Take().empty());
}

TEST_CASE("mcp session: progress rises strictly and goes only to who asked", "[mcp]") {
  McpHarness harness;
  harness.Initialize();

  const auto silent = harness.Send(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report_progress"}})");
  const auto told = harness.Send(
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call",
          "params":{"name":"report_progress","_meta":{"progressToken":"t"}}})");

  CHECK(silent.size() == 1);
  REQUIRE(told.size() >= 2);
  double last = -1;
  for (size_t i = 0; i + 1 < told.size(); ++i) {
    CHECK(told[i]["method"] == "notifications/progress");
    CHECK(told[i]["params"]["progressToken"] == "t");
    CHECK(told[i]["params"]["progress"].get<double>() > last);
    last = told[i]["params"]["progress"].get<double>();
  }
  CHECK(told.back()["id"] == 2);
}

TEST_CASE("mcp session: a message over the limit of the transport is an invalid request", "[mcp]") {
  McpHarness harness;

  harness.session().OnOversized(16 << 20, harness.sink());

  CHECK(harness.Take().at(0)["error"]["code"] == kInvalidRequest);
}

}  // namespace gpuwhy::mcp
