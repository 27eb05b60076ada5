// SPDX-License-Identifier: Apache-2.0
#include "tests/support/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpuwhy {
namespace {

bool Exec(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.data()));
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  return false;
}

}  // namespace

ChildProcess::ChildProcess(const std::function<bool()>& work) {
  Start(work);
}

// The pipe of the answer closes at exec, which says that it worked.
ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  Start([&] { return Exec(arguments); });
}

void ChildProcess::Start(const std::function<bool()>& work) {
  int input[2];
  int answer[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    dup2(input[0], STDIN_FILENO);
    close(input[1]);
    const char result = work() ? 1 : 0;
    if (write(answer[1], &result, 1) != 1) _exit(1);
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    _exit(0);
  }
  close(input[0]);
  close(answer[1]);
  to_child_ = input[1];
  char result = 1;
  is_ok_ = read(answer[0], &result, 1) >= 0 && result == 1;
  close(answer[0]);
}

void ChildProcess::End() {
  if (pid_ <= 0) return;
  close(to_child_);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

}  // namespace gpuwhy
