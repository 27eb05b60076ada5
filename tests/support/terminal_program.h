// SPDX-License-Identifier: Apache-2.0
// Runs the real program on a terminal of its own, as a person would: reads what it draws, types,
// changes the size of the window. One thread.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <chrono>
#include <string>
#include <vector>

namespace gpuwhy {

struct WindowSize {
  unsigned short rows = 24;
  unsigned short columns = 80;
};

class TerminalProgram {
 public:
  // `environment` entries are NAME=value.
  TerminalProgram(const std::vector<std::string>& arguments, WindowSize size,
                  const std::vector<std::string>& environment = {});
  ~TerminalProgram();
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  // Reads until the output since the last Forget holds the text; false after the deadline or the
  // end of the program.
  bool WaitFor(const std::string& text);
  // Reads to the end of the program; its exit code, or 128 and the signal.
  int Wait();
  void Type(const std::string& keys) const;  // "\x03" is Ctrl-C
  void Resize(WindowSize size) const;
  void Forget() { output_.clear(); }
  const std::string& output() const { return output_; }
  pid_t pid() const { return pid_; }
  termios Attributes() const;

 private:
  bool ReadSome();

  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string output_;
};

}  // namespace gpuwhy
