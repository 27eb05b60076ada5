// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error while a file is read: bytes, share, speed, time left. Draws at
// most ten times a second, and nothing when standard error is not a terminal. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuwhy {

class ProgressBar {
 public:
  explicit ProgressBar(std::string_view label);
  ~ProgressBar();  // clears the line
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Update(uint64_t done_bytes, uint64_t total_bytes);
  // For work whose size is not known in bytes.
  void UpdateShare(double share);

 private:
  bool IsDue();
  void Draw(double share, const std::string& amounts);

  std::string label_;
  bool is_terminal_;
  bool has_drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_draw_;
};

}  // namespace gpuwhy
