// SPDX-License-Identifier: Apache-2.0
#include "server/commands/traced_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kNameLimit = 120;

// In the child: waits for the byte, then becomes the program. Only calls that are safe after fork.
[[noreturn]] void BecomeProgram(char* const* arguments, int go_fd, int error_fd, int output_fd) {
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  char byte = 0;
  if (read(go_fd, &byte, 1) != 1) _exit(0);  // the recorder gave up
  if (output_fd != STDOUT_FILENO) dup2(output_fd, STDOUT_FILENO);
  execvp(arguments[0], arguments);
  const int error = errno;
  static_cast<void>(write(error_fd, &error, sizeof error));
  _exit(127);
}

void CloseOnce(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

Result<TracedChild> TracedChild::Make(const std::vector<std::string>& command, int output_fd) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  int go[2];
  int error[2];
  if (pipe2(go, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0) {
    return Unavailable("cannot make a pipe to the program");
  }
  const pid_t pid = fork();
  if (pid == 0) close(go[1]);  // or the end of the recorder would never be seen
  if (pid == 0) BecomeProgram(arguments.data(), go[0], error[1], output_fd);
  close(go[0]);
  close(error[1]);
  TracedChild child(pid, go[1], error[0], CleanText(command.front(), kNameLimit));
  if (pid < 0) return Unavailable("cannot start a process for the program");
  return child;
}

TracedChild::TracedChild(TracedChild&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      go_fd_(std::exchange(other.go_fd_, -1)),
      error_fd_(std::exchange(other.error_fd_, -1)),
      name_(std::move(other.name_)),
      status_(other.status_) {}

TracedChild::~TracedChild() {
  CloseOnce(go_fd_);
  CloseOnce(error_fd_);
}

Status TracedChild::Begin() {
  static_cast<void>(write(go_fd_, "g", 1));
  CloseOnce(go_fd_);
  int error = 0;
  const ssize_t size = read(error_fd_, &error, sizeof error);
  CloseOnce(error_fd_);
  if (size <= 0) return {};
  waitpid(std::exchange(pid_, 0), nullptr, 0);
  return NotFound(fmt::format("cannot run {}: {}", name_,
                              std::error_code(error, std::generic_category()).message()));
}

std::optional<int> TracedChild::Ended() {
  int status = 0;
  if (!status_ && pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return status_;
}

void TracedChild::Signal(int signal) const {
  if (pid_ > 0 && !status_) kill(pid_, signal);
}

}  // namespace gpuwhy
