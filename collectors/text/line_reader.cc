// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/line_reader.h"

#include <utility>

namespace gpuwhy {
namespace {

constexpr size_t kLineChunkBytes = 128 << 10;

}  // namespace

// Reads another chunk behind the unread rest; false at the end of the file.
bool LineReader::Fill() {
  if (is_at_end_) return false;
  buffer_.erase(0, at_);
  searched_ -= at_;
  at_ = 0;
  if (buffer_.size() > kMaxLineBytes + 1) {  // a \r may end it
    if (!is_skipping_) ++too_long_count_;
    is_skipping_ = true;
    buffer_.clear();
    searched_ = 0;
  }
  const size_t before = buffer_.size();
  buffer_.resize(before + kLineChunkBytes);
  const size_t got = source_->Read(buffer_.data() + before, kLineChunkBytes);
  buffer_.resize(before + got);
  is_at_end_ = got < kLineChunkBytes;
  return got > 0;
}

std::optional<std::string_view> LineReader::Next() {
  while (true) {
    const size_t end = buffer_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = buffer_.size();
      if (Fill()) continue;
      if (at_ == buffer_.size()) return std::nullopt;
    }
    std::string_view line = std::string_view(buffer_).substr(at_, end - at_);
    at_ = searched_ = end == std::string::npos ? buffer_.size() : end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::exchange(is_skipping_, false)) continue;
    if (line.size() <= kMaxLineBytes) return line;
    ++too_long_count_;
  }
}

}  // namespace gpuwhy
