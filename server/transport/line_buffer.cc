// SPDX-License-Identifier: Apache-2.0
#include "server/transport/line_buffer.h"

#include <algorithm>
#include <cstring>

namespace gpuwhy {
namespace {

constexpr size_t kKeptBytes = size_t{1} << 20;  // a larger buffer is given back when it is empty

std::string_view WithoutCarriageReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::span<char> LineBuffer::Space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (bytes_.size() > kKeptBytes) std::vector<char>().swap(bytes_);
  } else if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (bytes_.size() - end_ < kReadBytes) {
    bytes_.resize(std::max(bytes_.size() * 2, end_ + kReadBytes));
  }
  return {bytes_.data() + end_, bytes_.size() - end_};
}

void LineBuffer::FindNewline(size_t from) {
  const void* found = from == end_ ? nullptr : std::memchr(&bytes_[from], '\n', end_ - from);
  newline_ = found == nullptr
                 ? kNone
                 : static_cast<size_t>(static_cast<const char*>(found) - bytes_.data());
}

void LineBuffer::Commit(size_t read_bytes) {
  const size_t from = end_;
  end_ += read_bytes;
  FindNewline(from);
}

std::optional<LineBuffer::Line> LineBuffer::Next() {
  if (newline_ == kNone) {
    if (is_skipping_) begin_ = end_;
    if (end_ - begin_ <= max_line_bytes_) return std::nullopt;
    is_skipping_ = true;
    begin_ = end_;
    return Line{.is_too_long = true};
  }
  const std::string_view text(bytes_.data() + begin_, newline_ - begin_);
  begin_ = newline_ + 1;
  FindNewline(begin_);
  if (is_skipping_) {
    is_skipping_ = false;
    return Next();
  }
  if (text.size() > max_line_bytes_) return Line{.is_too_long = true};
  return Line{.text = WithoutCarriageReturn(text)};
}

std::string_view LineBuffer::TakeRest() {
  const std::string_view rest(bytes_.data() + begin_, is_skipping_ ? 0 : end_ - begin_);
  begin_ = end_;
  return WithoutCarriageReturn(rest);
}

}  // namespace gpuwhy
