// SPDX-License-Identifier: Apache-2.0
#include "tests/support/terminal_program.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace gpuwhy {
namespace {

constexpr auto kLongestWait = std::chrono::seconds(60);

winsize SizeOf(WindowSize size) {
  winsize window{};
  window.ws_row = size.rows;
  window.ws_col = size.columns;
  return window;
}

[[noreturn]] void Execute(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment) {
  for (const char* name : {"GPUWHY_DB", "XDG_DATA_HOME", "SUDO_UID", "NO_COLOR"})
    unsetenv(name);
  setenv("TERM", "xterm-256color", 1);
  for (const std::string& entry : environment)
    putenv(const_cast<char*>(entry.c_str()));
  std::vector<char*> words = {const_cast<char*>(GPUWHY_PROGRAM)};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(GPUWHY_PROGRAM, words.data());
  _exit(127);
}

}  // namespace

TerminalProgram::TerminalProgram(const std::vector<std::string>& arguments, WindowSize size,
                                 const std::vector<std::string>& environment) {
  winsize window = SizeOf(size);
  pid_ = forkpty(&terminal_, nullptr, nullptr, &window);
  if (pid_ == 0) Execute(arguments, environment);
}

TerminalProgram::~TerminalProgram() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (terminal_ >= 0) close(terminal_);
}

bool TerminalProgram::ReadSome() {
  pollfd ready{.fd = terminal_, .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, 100) <= 0) return true;
  char bytes[4096];
  const ssize_t size = read(terminal_, bytes, sizeof bytes);
  if (size <= 0) return false;  // nobody holds the other side any more
  output_.append(bytes, static_cast<size_t>(size));
  return true;
}

bool TerminalProgram::WaitFor(const std::string& text) {
  const auto latest = std::chrono::steady_clock::now() + kLongestWait;
  while (output_.find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > latest || !ReadSome()) return false;
  }
  return true;
}

int TerminalProgram::Wait() {
  const auto latest = std::chrono::steady_clock::now() + kLongestWait;
  while (std::chrono::steady_clock::now() < latest && ReadSome()) {
  }
  int status = 0;
  if (pid_ <= 0 || waitpid(std::exchange(pid_, -1), &status, 0) < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void TerminalProgram::Type(const std::string& keys) const {
  static_cast<void>(write(terminal_, keys.data(), keys.size()));
}

void TerminalProgram::Resize(WindowSize size) const {
  const winsize window = SizeOf(size);
  ioctl(terminal_, TIOCSWINSZ, &window);
}

termios TerminalProgram::Attributes() const {
  termios attributes{};
  tcgetattr(terminal_, &attributes);
  return attributes;
}

}  // namespace gpuwhy
