// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pipe_pair.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "schema/base/result.h"
#include "tests/catch.h"

namespace gpuwhy {
namespace {

constexpr int kDeadlineMs = 30'000;

void CloseOnce(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

PipePair::PipePair() {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2];
  int out[2];
  REQUIRE(pipe2(in, O_CLOEXEC) == 0);
  REQUIRE(pipe2(out, O_CLOEXEC) == 0);
  server_input_ = in[0];
  to_server_ = in[1];
  from_server_ = out[0];
  server_output_ = out[1];
}

PipePair::~PipePair() {
  CloseInput();
  CloseOutput();
  CloseServerEnds();
}

// Some tests write from a second thread, where Catch2 must not be asked.
void PipePair::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = write(to_server_, bytes.data(), bytes.size());
    GPUWHY_CHECK(written > 0);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

std::optional<std::string> PipePair::ReadLine() {
  for (;;) {
    if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    pollfd ready{.fd = from_server_, .events = POLLIN, .revents = 0};
    REQUIRE(poll(&ready, 1, kDeadlineMs) == 1);
    char chunk[65536];
    const ssize_t read_bytes = read(from_server_, chunk, sizeof chunk);
    if (read_bytes <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<size_t>(read_bytes));
  }
}

void PipePair::CloseInput() {
  CloseOnce(to_server_);
}

void PipePair::CloseOutput() {
  CloseOnce(from_server_);
}

void PipePair::CloseServerEnds() {
  CloseOnce(server_input_);
  CloseOnce(server_output_);
}

}  // namespace gpuwhy
