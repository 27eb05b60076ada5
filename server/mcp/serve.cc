// SPDX-License-Identifier: Apache-2.0
#include "server/mcp/serve.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "server/mcp/bindings.h"
#include "server/mcp/core.h"
#include "server/mcp/instructions.h"
#include "server/mcp/session.h"
#include "server/transport/stdio.h"
#include "server/version.h"

namespace gpuwhy {
namespace {

// How long calls in work may still answer after the end of input, as long as somebody listens, and
// then how long they may take to stop.
constexpr std::chrono::seconds kAnswerGrace{30};
constexpr std::chrono::milliseconds kStopGrace{50};

// While it lives, descriptor 1 is standard error: a library that prints cannot break the protocol.
class StdoutGuard {
 public:
  explicit StdoutGuard(int output_fd) {
    if (output_fd != STDOUT_FILENO) return;
    protocol_fd_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StdoutGuard() {
    if (protocol_fd_ < 0) return;
    std::fflush(stdout);
    dup2(protocol_fd_, STDOUT_FILENO);
    close(protocol_fd_);
  }
  StdoutGuard(const StdoutGuard&) = delete;
  StdoutGuard& operator=(const StdoutGuard&) = delete;

  int Fd(int output_fd) const { return protocol_fd_ < 0 ? output_fd : protocol_fd_; }

 private:
  int protocol_fd_ = -1;
};

mcp::ServerIdentity Identity() {
  return {.version = kVersion,
          .instructions = mcp::kInstructions,
          .capabilities = {{"tools", {{"listChanged", false}}},
                           {"prompts", {{"listChanged", false}}},
                           {"resources", {{"subscribe", false}, {"listChanged", false}}},
                           {"completions", Json::object()}}};
}

}  // namespace

int ServeStdio(const McpOptions& options) {
  const StdoutGuard guard(options.output_fd);
  const mcp::Core core(Identity(), mcp::BindMethods(options));
  const size_t max_running = std::max(2U, std::thread::hardware_concurrency());
  mcp::Session session(core, {.max_running = max_running, .call_limit = options.call_limit});
  StdioTransport transport({.input_fd = options.input_fd,
                            .output_fd = guard.Fd(options.output_fd),
                            .thread_count = max_running + 1},
                           session);
  transport.Run();
  transport.WaitForAnswers(kAnswerGrace);
  session.Close();
  if (!transport.WaitUntilIdle(kStopGrace)) {
    // A call that does not stop must not keep a client waiting that has gone. It only reads, so
    // there is nothing to put in order.
    std::fflush(nullptr);
    std::_Exit(EXIT_SUCCESS);
  }
  return EXIT_SUCCESS;
}

}  // namespace gpuwhy
