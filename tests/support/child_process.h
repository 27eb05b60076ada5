// SPDX-License-Identifier: Apache-2.0
// A real process for tests: a fork that has done some work, or another program, and that then lives
// until End or the end of the object.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace gpuwhy {

class ChildProcess {
 public:
  // Returns when `work` has returned in the fork; `ok` is what it returned.
  explicit ChildProcess(const std::function<bool()>& work);
  // Returns when the program has been started; its input is a pipe that ends with End.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  ~ChildProcess() { End(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool ok() const { return is_ok_; }
  // The process is gone and waited for when this returns.
  void End();

 private:
  void Start(const std::function<bool()>& work);

  pid_t pid_ = -1;
  bool is_ok_ = false;
  int to_child_ = -1;
};

}  // namespace gpuwhy
