// SPDX-License-Identifier: Apache-2.0
// Lines that are drawn in place on a terminal. Alone it takes the other screen of the terminal, as
// full-screen programs do; beside a program that prints, the lower half, and what the program
// prints scrolls above. The destructor leaves the terminal as it was. One write call a frame, so
// that nothing flickers and other writers do not come in between. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpuwhy {

enum class ScreenShare { kWhole, kLowerHalf };

class LiveScreen {
 public:
  LiveScreen(int fd, ScreenShare share);
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // Asks the terminal for its size; true when that has changed since.
  bool Measure();
  size_t width() const { return width_; }
  size_t height() const { return height_; }  // lines there are for us
  void Draw(const std::vector<std::string>& lines);

 private:
  std::string Take();
  std::string Leave() const;
  void Write(const std::string& bytes) const;

  int fd_;
  ScreenShare share_;
  size_t width_ = 80;
  size_t rows_ = 24;  // of the whole window
  size_t height_ = 24;
  bool is_taken_ = false;
};

}  // namespace gpuwhy
