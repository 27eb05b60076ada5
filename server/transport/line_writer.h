// SPDX-License-Identifier: Apache-2.0
// Writes whole lines to a descriptor, never a part of one between two others. Thread-safe. While
// held, lines are gathered and go out with one write, which is what makes many small answers cheap.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace gpuwhy {

class LineWriter {
 public:
  // `on_broken` is called once when nobody reads the other end any more.
  LineWriter(int fd, std::function<void()> on_broken) : fd_(fd), on_broken_(std::move(on_broken)) {}

  void Write(std::string_view line);
  // Lines written from now on may wait for Release.
  void Hold() { is_held_ = true; }
  void Release();
  // Like Release, but does not wait for a writer that is at work: it will take our lines along.
  void ReleaseWithoutWaiting();

 private:
  void WriteOut();  // mutex_ is held

  const int fd_;
  const std::function<void()> on_broken_;
  std::atomic<bool> is_held_ = false;
  std::mutex mutex_;
  std::string pending_;
  bool is_broken_ = false;
};

}  // namespace gpuwhy
