// SPDX-License-Identifier: Apache-2.0
// A program that is started for a recording and begins only when everything is attached, so that
// its first call is seen. One thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

class TracedChild {
 public:
  // The process exists when this returns, and waits. `output_fd` becomes its standard output.
  static Result<TracedChild> Make(const std::vector<std::string>& command, int output_fd);
  ~TracedChild();  // one that was never let go ends without having run
  TracedChild(TracedChild&& other) noexcept;
  TracedChild& operator=(TracedChild&&) = delete;

  pid_t pid() const { return pid_; }
  const std::string& name() const { return name_; }  // cleaned
  // Lets it begin; fails with one sentence when the program cannot be executed.
  Status Begin();
  // Its exit status (128 + signal when killed) once it has ended.
  std::optional<int> Ended();
  // Passes a signal on, as Ctrl-C would have.
  void Signal(int signal) const;

 private:
  TracedChild(pid_t pid, int go_fd, int error_fd, std::string name)
      : pid_(pid), go_fd_(go_fd), error_fd_(error_fd), name_(std::move(name)) {}

  pid_t pid_ = 0;
  int go_fd_ = -1;     // a byte lets the child go
  int error_fd_ = -1;  // closed by a successful exec; errno otherwise
  std::string name_;
  std::optional<int> status_;
};

}  // namespace gpuwhy
