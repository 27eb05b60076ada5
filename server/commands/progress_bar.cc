// SPDX-License-Identifier: Apache-2.0
#include "server/commands/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr size_t kCells = 24;

}  // namespace

ProgressBar::ProgressBar(std::string_view label)
    : label_(CleanText(label, 40)),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (has_drawn_) fmt::print(stderr, "\r\x1b[K");
}

bool ProgressBar::IsDue() {
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || now - last_draw_ < kRedrawEvery) return false;
  last_draw_ = now;
  return true;
}

void ProgressBar::Draw(double share, const std::string& amounts) {
  has_drawn_ = true;
  const double seconds = std::chrono::duration<double>(last_draw_ - start_).count();
  const double left_seconds = share > 0 ? seconds / share - seconds : 0;
  const auto full = static_cast<size_t>(share * kCells);
  fmt::print(stderr, "\r{} [{}{}] {:3.0f} %  {}{:.0f} s left\x1b[K", label_, std::string(full, '#'),
             std::string(kCells - full, '.'), share * 100, amounts, left_seconds);
  std::fflush(stderr);
}

void ProgressBar::Update(uint64_t done_bytes, uint64_t total_bytes) {
  if (total_bytes == 0 || !IsDue()) return;
  const double share =
      std::min(1.0, static_cast<double>(done_bytes) / static_cast<double>(total_bytes));
  const double seconds = std::max(1e-3, std::chrono::duration<double>(last_draw_ - start_).count());
  const double bytes_per_second = static_cast<double>(done_bytes) / seconds;
  Draw(share, fmt::format("{} of {}  {}/s  ", FormatBytes(static_cast<int64_t>(done_bytes)),
                          FormatBytes(static_cast<int64_t>(total_bytes)),
                          FormatBytes(static_cast<int64_t>(bytes_per_second))));
}

void ProgressBar::UpdateShare(double share) {
  if (IsDue()) Draw(std::clamp(share, 0.0, 1.0), "");
}

}  // namespace gpuwhy
