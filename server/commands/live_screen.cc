// SPDX-License-Identifier: Apache-2.0
#include "server/commands/live_screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace gpuwhy {
namespace {

constexpr const char* kSaveCursor =
    "\x1b"
    "7";
constexpr const char* kRestoreCursor =
    "\x1b"
    "8";

}  // namespace

LiveScreen::LiveScreen(int fd, ScreenShare share) : fd_(fd), share_(share) {
  Measure();
}

LiveScreen::~LiveScreen() {
  if (is_taken_) Write(Leave());
}

bool LiveScreen::Measure() {
  winsize size{};
  if (ioctl(fd_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
  const bool has_changed = size.ws_col != width_ || size.ws_row != rows_;
  width_ = size.ws_col;
  rows_ = size.ws_row;
  height_ = share_ == ScreenShare::kWhole ? rows_ : std::max<size_t>(1, rows_ / 2);
  // Terminals forget the scrolling region at a change of size.
  if (has_changed && is_taken_ && share_ == ScreenShare::kLowerHalf) {
    Write("\x1b[J");  // the old table: all that is below the other program's cursor
    is_taken_ = false;
  }
  return has_changed;
}

std::string LiveScreen::Take() {
  is_taken_ = true;
  if (share_ == ScreenShare::kWhole) return "\x1b[?1049h\x1b[?25l";
  // Room is made by scrolling, then the cursor goes back up to where the program writes.
  return std::string(height_, '\n') + fmt::format("\x1b[{}A", height_) + kSaveCursor +
         fmt::format("\x1b[1;{}r", std::max<size_t>(1, rows_ - height_)) + kRestoreCursor;
}

std::string LiveScreen::Leave() const {
  if (share_ == ScreenShare::kWhole) return "\x1b[?25h\x1b[?1049l";
  return std::string(kSaveCursor) + "\x1b[r" +
         fmt::format("\x1b[{};1H\x1b[J", rows_ - height_ + 1) + kRestoreCursor;
}

void LiveScreen::Draw(const std::vector<std::string>& lines) {
  const bool is_half = share_ == ScreenShare::kLowerHalf;
  std::string frame = is_taken_ ? "" : Take();
  if (is_half) frame += kSaveCursor;
  const size_t first = is_half ? rows_ - height_ + 1 : 1;
  for (size_t i = 0; i < height_; ++i) {
    frame += fmt::format("\x1b[{};1H", first + i);
    if (i < lines.size()) frame += lines[i];
    frame += "\x1b[K";
  }
  if (is_half) frame += kRestoreCursor;
  Write(frame);
}

void LiveScreen::Write(const std::string& bytes) const {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t size = write(fd_, bytes.data() + at, bytes.size() - at);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;  // the terminal is gone
    at += static_cast<size_t>(size);
  }
}

}  // namespace gpuwhy
