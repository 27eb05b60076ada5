// SPDX-License-Identifier: Apache-2.0
// Reads a plain or gzip text line by line in little memory: a line longer than kMaxLineBytes is cut
// there and the rest of it skipped. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/kineto/byte_source.h"

namespace gpuwhy::perf {

class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = 1 << 20;

  explicit LineReader(std::unique_ptr<kineto::ByteSource> source) : source_(std::move(source)) {}

  // The next line without its end (\n or \r\n), valid until the next call.
  std::optional<std::string_view> Next();
  // Of the line returned last.
  bool IsCut() const { return is_cut_; }
  bool IsSourceDamaged() const { return source_->IsDamaged(); }
  uint64_t DoneBytes() const { return source_->DoneBytes(); }

 private:
  bool Refill();
  size_t FindEnd();
  void SkipRestOfLine();

  std::unique_ptr<kineto::ByteSource> source_;
  std::string buffer_;
  size_t at_ = 0;
  bool is_cut_ = false;
  bool is_finished_ = false;
};

}  // namespace gpuwhy::perf
