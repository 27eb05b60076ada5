// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/serve.h"

#include <future>
#include <thread>

#include "tests/catch.h"
#include "tests/support/fake_tools.h"
#include "tests/support/mcp_harness.h"
#include "tests/support/pipe_pair.h"

namespace gpuwhy {
namespace {

// The whole server on pipes, with tools for tests.
class Server {
 public:
  explicit Server(std::chrono::milliseconds call_limit = std::chrono::seconds(30))
      : status_(std::async(std::launch::async, [this, call_limit] {
          return ServeStdio({.traces = &traces_,
                             .tools = FakeTools(),
                             .detectors = FakeDetectors(),
                             .input_fd = pipes.server_input(),
                             .output_fd = pipes.server_output(),
                             .call_limit = call_limit});
        })) {}

  void Initialize(const std::string& version = "2025-11-25") {
    Send({{"jsonrpc", "2.0"},
          {"id", "init"},
          {"method", "initialize"},
          {"params", {{"protocolVersion", version}}}});
    CHECK(Read()["id"] == "init");
  }
  void Send(const Json& message) { pipes.WriteLine(DumpJson(message)); }
  void Call(const Json& id, const std::string& tool, const Json& arguments = Json::object()) {
    Send({{"jsonrpc", "2.0"},
          {"id", id},
          {"method", "tools/call"},
          {"params", {{"name", tool}, {"arguments", arguments}}}});
  }
  Json Read() {
    const auto line = pipes.ReadLine();
    REQUIRE(line.has_value());
    return Json::parse(*line);
  }
  int Stop() {
    pipes.CloseInput();
    return status_.get();
  }

  PipePair pipes;

 private:
  TraceSet traces_;
  std::future<int> status_;
};

}  // namespace

TEST_CASE("mcp over stdio: a session from initialize to the end of input", "[mcp]") {
  Server server;
  server.Initialize();
  server.Send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});

  server.Call(1, "echo_text", {{"text", "hello"}});
  const Json answer = server.Read();

  CHECK(answer["id"] == 1);
  CHECK(answer["result"]["content"][0]["text"] == "hello\n");
  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: a running call is cancelled while others are served", "[mcp]") {
  Server server;
  server.Initialize();
  const int stopped_before = stopped_call_count;

  server.Call("slow", "wait_stopped");
  server.Call(2, "echo_text", {{"text", "meanwhile"}});
  CHECK(server.Read()["id"] == 2);
  server.Send({{"jsonrpc", "2.0"},
               {"method", "notifications/cancelled"},
               {"params", {{"requestId", "slow"}}}});
  while (stopped_call_count == stopped_before)
    std::this_thread::yield();
  server.Call(3, "echo_text", {{"text", "after"}});

  CHECK(server.Read()["id"] == 3);
  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: what runs at the end of input is still answered", "[mcp]") {
  Server server(std::chrono::milliseconds(200));
  server.Initialize();

  server.Call(1, "wait_stopped");
  server.pipes.CloseInput();

  CHECK(server.Read()["id"] == 1);
  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: a client that is gone stops what runs", "[mcp]") {
  Server server;
  server.Initialize();
  const int stopped_before = stopped_call_count;
  for (int id = 1; id <= 10; ++id)
    server.Call(id, "wait_stopped");
  while (waiting_call_count == 0)
    std::this_thread::yield();

  server.pipes.CloseOutput();
  CHECK(server.Stop() == 0);
  CHECK(waiting_call_count == 0);
  CHECK(stopped_call_count > stopped_before);
}

TEST_CASE("mcp over stdio: cancellations get through when all calls there may be run", "[mcp]") {
  Server server;
  server.Initialize();
  constexpr int kCount = 200;
  for (int id = 1; id <= kCount; ++id)
    server.Call(id, "wait_stopped");
  server.Call("last", "echo_text", {{"text", "x"}});

  for (int id = 1; id <= kCount; ++id) {
    server.Send({{"jsonrpc", "2.0"},
                 {"method", "notifications/cancelled"},
                 {"params", {{"requestId", id}}}});
  }

  CHECK(server.Read()["id"] == "last");
  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: the time limit stops a call", "[mcp]") {
  Server server(std::chrono::milliseconds(20));
  server.Initialize();

  server.Call(1, "wait_stopped");

  CHECK(server.Read()["result"]["isError"] == true);
  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: hostile lines are answered and the process lives", "[mcp]") {
  using namespace std::literals;
  const auto [line, code] = GENERATE(table<std::string, int>({
      {"{", -32700},
      {"\xff\xfe", -32700},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}", -32700},
      {"\0\0"s, -32700},
      {std::string(1'000'000, '['), -32600},
      {std::string(20'000'000, ' ') + "{}", -32600},
      {R"({"jsonrpc":"2.0","id":1e400,"method":"ping"})", -32700},
      {R"({"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600},
  }));
  Server server;

  std::thread writer([&server, &text = line] { server.pipes.WriteLine(text); });
  const Json answer = server.Read();
  writer.join();
  server.Send({{"jsonrpc", "2.0"}, {"id", 7}, {"method", "ping"}});

  CHECK(answer["error"]["code"] == code);
  CHECK(answer["id"].is_null());
  CHECK(server.Read()["id"] == 7);
  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: input that ends within a message ends the server", "[mcp]") {
  Server server;

  server.pipes.Write(R"({"jsonrpc":"2.0","id":1,"meth)");

  CHECK(server.Stop() == 0);
  CHECK(server.Read()["error"]["code"] == -32700);
}

TEST_CASE("mcp over stdio: a client that stops reading ends the server", "[mcp]") {
  Server server;
  server.Initialize();

  server.pipes.CloseOutput();
  server.Call(1, "echo_text", {{"text", "x"}});

  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: a batch is answered on one line", "[mcp]") {
  Server server;
  server.Initialize("2025-03-26");

  server.pipes.WriteLine(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}])");

  CHECK(server.Read().size() == 2);
  CHECK(server.Stop() == 0);
}

TEST_CASE("mcp over stdio: both eras in one process", "[mcp]") {
  Server server;

  server.Send({{"jsonrpc", "2.0"},
               {"id", 1},
               {"method", "server/discover"},
               {"params", {{"_meta", ModernMeta()}}}});
  CHECK(server.Read()["result"]["supportedVersions"][0] == "2026-07-28");
  server.Initialize();

  CHECK(server.Stop() == 0);
}

}  // namespace gpuwhy
