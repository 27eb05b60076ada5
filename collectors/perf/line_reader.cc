// SPDX-License-Identifier: Apache-2.0
#include "collectors/perf/line_reader.h"

namespace gpuwhy::perf {
namespace {

constexpr size_t kReadBytes = 256 << 10;

}  // namespace

// Drops what was read and appends the next piece; false at the end of the file.
bool LineReader::Refill() {
  if (is_finished_) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t kept = buffer_.size();
  buffer_.resize(kept + kReadBytes);
  const size_t got = source_->Read(buffer_.data() + kept, kReadBytes);
  buffer_.resize(kept + got);
  is_finished_ = got < kReadBytes;
  return got > 0;
}

// Where the line ends: at its \n, at the longest length, or at the end of the file.
size_t LineReader::FindEnd() {
  size_t searched = 0;
  while (true) {
    const size_t end = buffer_.find('\n', at_ + searched);
    if (end != std::string::npos) return end;
    searched = buffer_.size() - at_;
    if (searched >= kMaxLineBytes || !Refill()) return buffer_.size();
  }
}

void LineReader::SkipRestOfLine() {
  while (true) {
    const size_t end = buffer_.find('\n', at_);
    at_ = end == std::string::npos ? buffer_.size() : end + 1;
    if (end != std::string::npos || !Refill()) return;
  }
}

std::optional<std::string_view> LineReader::Next() {
  if (is_cut_) SkipRestOfLine();
  is_cut_ = false;
  if (at_ == buffer_.size() && !Refill()) return std::nullopt;
  const size_t end = FindEnd();
  std::string_view line(buffer_.data() + at_, end - at_);
  is_cut_ = line.size() > kMaxLineBytes;
  if (is_cut_) {
    at_ += kMaxLineBytes;
    return line.substr(0, kMaxLineBytes);
  }
  at_ = end < buffer_.size() ? end + 1 : end;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace gpuwhy::perf
