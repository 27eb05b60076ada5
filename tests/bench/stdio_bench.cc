// SPDX-License-Identifier: Apache-2.0
// stdio_bench [GPUWHY]: what a call over stdio costs. An echo tool is served by our server (this
// program, with --serve) and by the TypeScript SDK, where the test mcp_clients has installed it,
// and cat sends each request back unread; the same client drives them all: time from start to the
// first answer (median of 7; for us that of the real program, GPUWHY or $GPUWHY_PROGRAM), one call
// at a time, and 64 calls in flight. The last column is the ratio to us.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "server/mcp/serve.h"

namespace {

using Clock = std::chrono::steady_clock;
using gpuwhy::Answer;
using gpuwhy::Result;
using gpuwhy::Tool;
using gpuwhy::ToolContext;

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
constexpr std::string_view kInitialized =
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
constexpr int kStarts = 7;
constexpr int kWindow = 64;

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::string CallText(int id) {
  return fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo_text","arguments":{{"text":"hello"}}}}}})",
      id);
}

// A server as a child process, and the pipes to it.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command) {
    int in[2];
    int out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) Exec(command, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    to_child_ = in[1];
    from_child_ = out[0];
  }
  ~Child() {
    close(to_child_);
    close(from_child_);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Send(std::string text) const {
    text += '\n';
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t written = write(to_child_, rest.data(), rest.size());
      if (written <= 0) std::exit(EXIT_FAILURE);
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }
  // Waits until `count` more lines have come.
  void Await(int count) {
    while (count > 0) {
      if (begin_ == end_) Fill();
      const auto* newline = static_cast<const char*>(
          memchr(buffer_.data() + begin_, '\n', static_cast<size_t>(end_ - begin_)));
      if (newline == nullptr) {
        begin_ = end_;
        continue;
      }
      begin_ = newline - buffer_.data() + 1;
      --count;
    }
  }
  // How many whole lines are there, waiting for one.
  int AwaitSome() {
    Await(1);
    const auto count = std::count(buffer_.begin() + begin_, buffer_.begin() + end_, '\n');
    Await(static_cast<int>(count));
    return static_cast<int>(count) + 1;
  }
  int64_t ResidentKb() const {
    std::ifstream status(fmt::format("/proc/{}/status", pid_));
    for (std::string word; status >> word;) {
      int64_t kb = 0;
      if (word == "VmRSS:" && status >> kb) return kb;
    }
    return 0;
  }

 private:
  [[noreturn]] static void Exec(const std::vector<std::string>& command, int input, int output) {
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : command)
      arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    std::_Exit(127);
  }
  void Fill() {
    begin_ = 0;
    end_ = read(from_child_, buffer_.data(), buffer_.size());
    if (end_ <= 0) {
      std::fputs("stdio_bench: the server ended\n", stderr);
      std::exit(EXIT_FAILURE);
    }
  }

  pid_t pid_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  std::vector<char> buffer_ = std::vector<char>(size_t{1} << 16);
  ssize_t begin_ = 0;
  ssize_t end_ = 0;
};

struct Figures {
  double start_us = 0;  // to the first answer
  double p50_us = 0;
  double p99_us = 0;
  double per_second = 0;  // with kWindow calls in flight
  int64_t idle_kb = 0;
  int64_t after_kb = 0;
};

double MedianStart(const std::vector<std::string>& command) {
  std::vector<double> starts;
  for (int i = 0; i < kStarts; ++i) {
    const auto begin = Clock::now();
    Child child(command);
    child.Send(std::string(kInitialize));
    child.Await(1);
    starts.push_back(MicrosecondsSince(begin));
  }
  std::nth_element(starts.begin(), starts.begin() + kStarts / 2, starts.end());
  return starts[kStarts / 2];
}

void MeasureSequential(Child& child, int count, Figures& figures) {
  std::vector<double> calls;
  for (int id = 1; id <= count; ++id) {
    const auto begin = Clock::now();
    child.Send(CallText(id));
    child.Await(1);
    calls.push_back(MicrosecondsSince(begin));
  }
  std::sort(calls.begin(), calls.end());
  figures.p50_us = calls[calls.size() / 2];
  figures.p99_us = calls[calls.size() * 99 / 100];
}

void MeasureWindow(Child& child, int count, Figures& figures) {
  const auto begin = Clock::now();
  int sent = 0;
  int answered = 0;
  int may_send = kWindow;
  while (answered < count) {
    std::string batch;
    for (; may_send > 0 && sent < count; --may_send)
      batch += (batch.empty() ? "" : "\n") + CallText(1'000'000 + ++sent);
    if (!batch.empty()) child.Send(std::move(batch));
    const int came = child.AwaitSome();
    answered += came;
    may_send += came;
  }
  figures.per_second = count / (MicrosecondsSince(begin) * 1e-6);
}

Figures Measure(const std::vector<std::string>& start_command,
                const std::vector<std::string>& command, int count) {
  Figures figures{.start_us = MedianStart(start_command)};
  Child child(command);
  child.Send(std::string(kInitialize));
  child.Await(1);
  child.Send(std::string(kInitialized));
  figures.idle_kb = child.ResidentKb();
  MeasureSequential(child, count / 10, figures);  // warm; overwritten
  MeasureSequential(child, count / 4, figures);
  MeasureWindow(child, count, figures);
  figures.after_kb = child.ResidentKb();
  return figures;
}

void Print(const char* name, const Figures& figures, const Figures& ours) {
  fmt::print("{:<24}{:>9.1f} ms{:>8.0f} us{:>8.0f} us{:>12.0f}/s{:>7.1f} -> {:.1f} MB{:>8.1f}x\n",
             name, figures.start_us * 1e-3, figures.p50_us, figures.p99_us, figures.per_second,
             static_cast<double>(figures.idle_kb) * 1e-3,
             static_cast<double>(figures.after_kb) * 1e-3, figures.p50_us / ours.p50_us);
}

Result<Answer> EchoText(const ToolContext& context) {
  return Answer{.headline = context.params.Text("text")};
}

int Serve() {
  const Tool echo{.name = "echo_text",
                  .title = "Echo",
                  .description = "Echoes a text.",
                  .params = {{.name = "text", .description = "The text.", .is_required = true}},
                  .needs_trace = false,
                  .run = &EchoText};
  gpuwhy::TraceSet traces;
  return gpuwhy::ServeStdio({.traces = &traces, .tools = {&echo, 1}});
}

std::string Environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() == 2 && words[1] == "--serve") return Serve();
  const std::string program = words.size() > 1 ? words[1] : Environment("GPUWHY_PROGRAM", "");
  if (program.empty()) {
    std::fputs("usage: stdio_bench GPUWHY\n", stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  fmt::print("{:<24}{:>12}{:>11}{:>11}{:>14}{:>20}{:>10}\n", "stdio, echo tool", "first answer",
             "p50", "p99", "64 in flight", "resident", "p50 ratio");
  const Figures ours = Measure({program, "mcp"}, {words[0], "--serve"}, 200'000);
  Print("gpuwhy", ours, ours);
  Print("cat (floor)", Measure({"/bin/cat"}, {"/bin/cat"}, 200'000), ours);
  const std::string npm = Environment("GPUWHY_NPM_DIR", "build/npm");
  const std::vector<std::string> peer = {npm + "/node_modules/node/bin/node",
                                         npm + "/stdio_peer.mjs"};
  if (access(peer[0].c_str(), X_OK) != 0 || access(peer[1].c_str(), R_OK) != 0) {
    fmt::print("no peer in {}: the test mcp_clients installs it\n", npm);
    return 0;
  }
  Print("TypeScript SDK v1", Measure(peer, peer, 50'000), ours);
  return 0;
}
