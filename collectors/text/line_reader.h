// SPDX-License-Identifier: Apache-2.0
// The lines of a plain or gzip file, one after the other. A line longer than the limit is left out
// and counted, so memory is two chunks whatever the file holds. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/kineto/byte_source.h"

namespace gpuwhy {

class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = 1 << 20;

  explicit LineReader(std::unique_ptr<kineto::ByteSource> source) : source_(std::move(source)) {}

  // The next line without its end (\n or \r\n); nothing at the end of the file. It is good until
  // the next call.
  std::optional<std::string_view> Next();
  int64_t TooLongCount() const { return too_long_count_; }
  uint64_t DoneBytes() const { return source_->DoneBytes(); }
  // The file could be read only up to a point.
  bool IsDamaged() const { return source_->IsDamaged(); }

 private:
  bool Fill();

  std::unique_ptr<kineto::ByteSource> source_;
  std::string buffer_;
  size_t at_ = 0;        // where the next line starts
  size_t searched_ = 0;  // no line ends before
  bool is_skipping_ = false;
  bool is_at_end_ = false;
  int64_t too_long_count_ = 0;
};

}  // namespace gpuwhy
