// SPDX-License-Identifier: Apache-2.0
// Both ends of a server's input and output, as a client holds them. Reading waits for a line with a
// deadline, so that a server that says nothing fails a test instead of hanging it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuwhy {

class PipePair {
 public:
  PipePair();
  ~PipePair();
  PipePair(const PipePair&) = delete;
  PipePair& operator=(const PipePair&) = delete;

  int server_input() const { return server_input_; }
  int server_output() const { return server_output_; }

  void Write(std::string_view bytes) const;
  void WriteLine(std::string_view line) const { Write(std::string(line) + "\n"); }
  // The next line; nothing at the end of output.
  std::optional<std::string> ReadLine();
  void CloseInput();   // the server sees the end of its input
  void CloseOutput();  // the server writes to nobody
  void CloseServerEnds();

 private:
  int server_input_ = -1;
  int server_output_ = -1;
  int to_server_ = -1;
  int from_server_ = -1;
  std::string buffer_;
};

}  // namespace gpuwhy
