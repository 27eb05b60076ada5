// SPDX-License-Identifier: Apache-2.0
#include "server/transport/stdio.h"

#include <csignal>
#include <functional>
#include <future>
#include <thread>

#include "tests/catch.h"
#include "tests/support/pipe_pair.h"

namespace gpuwhy {
namespace {

using SinkPtr = std::shared_ptr<MessageSink>;

class FakeHandler : public MessageHandler {
 public:
  explicit FakeHandler(std::function<void(std::string, const SinkPtr&)> on_message)
      : on_message_(std::move(on_message)) {}
  void OnMessage(std::string_view message, const SinkPtr& sink) override {
    on_message_(std::string(message), sink);
  }
  void OnOversized(size_t, const SinkPtr& sink) override { sink->Respond("too long"); }

 private:
  std::function<void(std::string, const SinkPtr&)> on_message_;
};

// A transport that runs on a thread of its own until its input ends.
class Running {
 public:
  Running(PipePair& pipes, MessageHandler& handler)
      : transport_({.input_fd = pipes.server_input(),
                    .output_fd = pipes.server_output(),
                    .max_message_bytes = 1000},
                   handler),
        thread_([this] { transport_.Run(); }) {}
  ~Running() { Join(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void Join() {
    if (thread_.joinable()) thread_.join();
  }
  bool WaitUntilIdle() { return transport_.WaitUntilIdle(std::chrono::seconds(30)); }

 private:
  StdioTransport transport_;
  std::thread thread_;
};

void Echo(const std::string& message, const SinkPtr& sink) {
  sink->ReadOn();
  sink->Respond(message);
}

}  // namespace

TEST_CASE("stdio: each line is one message, in order", "[transport]") {
  PipePair pipes;
  FakeHandler handler(&Echo);
  Running running(pipes, handler);

  pipes.Write("one\r\n\n  \ntwo\nthree\n");

  CHECK(pipes.ReadLine() == "one");
  CHECK(pipes.ReadLine() == "two");
  CHECK(pipes.ReadLine() == "three");
  pipes.CloseInput();
}

TEST_CASE("stdio: many messages in flight are all answered", "[transport]") {
  PipePair pipes;
  FakeHandler handler(&Echo);
  Running running(pipes, handler);
  constexpr int kCount = 5000;

  std::thread client([&] {
    std::string all;
    for (int i = 0; i < kCount; ++i)
      all += std::to_string(i) + "\n";
    pipes.Write(all);
  });
  int in_order = 0;
  for (int i = 0; i < kCount; ++i)
    in_order += pipes.ReadLine() == std::to_string(i) ? 1 : 0;
  client.join();
  pipes.CloseInput();

  CHECK(in_order == kCount);
}

TEST_CASE("stdio: while a message takes long, the next ones are read", "[transport]") {
  PipePair pipes;
  std::promise<void> cancelled;
  std::future<void> is_cancelled = cancelled.get_future();
  FakeHandler handler([&](const std::string& message, const SinkPtr& sink) {
    if (message == "cancel") return cancelled.set_value();
    sink->ReadOn();
    if (message == "slow") is_cancelled.wait();
    sink->Respond(message);
  });
  Running running(pipes, handler);

  pipes.Write("first\nslow\nsecond\n");
  CHECK(pipes.ReadLine() == "first");
  CHECK(pipes.ReadLine() == "second");
  pipes.WriteLine("cancel");
  CHECK(pipes.ReadLine() == "slow");
  pipes.WriteLine("third");
  CHECK(pipes.ReadLine() == "third");
  pipes.CloseInput();
}

TEST_CASE("stdio: the lead changes hands again and again", "[transport]") {
  PipePair pipes;
  FakeHandler handler([&](const std::string& message, const SinkPtr& sink) {
    sink->ReadOn();
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(2500);
    while (message == "busy" && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    sink->Respond(message);
  });
  Running running(pipes, handler);
  constexpr int kRounds = 50;

  int answered = 0;
  for (int i = 0; i < kRounds; ++i) {
    pipes.Write("busy\nquick\n");
    for (int k = 0; k < 2; ++k)
      answered += pipes.ReadLine() ? 1 : 0;
  }
  pipes.CloseInput();

  CHECK(answered == 2 * kRounds);
}

TEST_CASE("stdio: a line over the limit is refused and the next one is served", "[transport]") {
  PipePair pipes;
  FakeHandler handler(&Echo);
  Running running(pipes, handler);

  pipes.Write(std::string(1'000'000, 'x') + "\nnext\n");

  CHECK(pipes.ReadLine() == "too long");
  CHECK(pipes.ReadLine() == "next");
  pipes.CloseInput();
}

TEST_CASE("stdio: a last line without an end is a message", "[transport]") {
  PipePair pipes;
  FakeHandler handler(&Echo);
  Running running(pipes, handler);

  pipes.Write("one\ntwo");
  pipes.CloseInput();
  running.Join();
  pipes.CloseServerEnds();

  CHECK(pipes.ReadLine() == "one");
  CHECK(pipes.ReadLine() == "two");
  CHECK_FALSE(pipes.ReadLine().has_value());
}

TEST_CASE("stdio: it ends when its output is closed", "[transport]") {
  PipePair pipes;
  FakeHandler handler(&Echo);
  Running running(pipes, handler);

  pipes.CloseOutput();
  pipes.WriteLine("to nobody");
  running.Join();

  CHECK(running.WaitUntilIdle());
}

TEST_CASE("stdio: it ends when asked to by a signal", "[transport]") {
  PipePair pipes;
  FakeHandler handler(&Echo);
  Running running(pipes, handler);
  pipes.WriteLine("up");
  CHECK(pipes.ReadLine() == "up");

  std::raise(SIGTERM);
  running.Join();

  CHECK(running.WaitUntilIdle());
}

}  // namespace gpuwhy
