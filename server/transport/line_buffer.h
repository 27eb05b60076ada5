// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of bytes into lines. A line longer than the limit is reported once and skipped up
// to its end, so memory stays bounded by the limit whatever arrives. One thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpuwhy {

class LineBuffer {
 public:
  struct Line {
    std::string_view text;  // without line end; valid until the next call
    bool is_too_long = false;
  };

  explicit LineBuffer(size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  // Where to read to: at least kReadBytes.
  std::span<char> Space();
  void Commit(size_t read_bytes);

  std::optional<Line> Next();
  bool HasNext() const { return newline_ != kNone; }
  // What is left at the end of the stream: a line without its end.
  std::string_view TakeRest();

  static constexpr size_t kReadBytes = size_t{64} << 10;

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  void FindNewline(size_t from);

  size_t max_line_bytes_;
  std::vector<char> bytes_;
  size_t begin_ = 0;          // first byte not yet handed out
  size_t end_ = 0;            // one after the last byte read
  size_t newline_ = kNone;    // the end of the next whole line
  bool is_skipping_ = false;  // inside a line that was too long
};

}  // namespace gpuwhy
