// SPDX-License-Identifier: Apache-2.0
// Reads a plain or gzip file from front to back in pieces of the caller's size. Several gzip
// members in a row are one stream. A damaged or cut gzip stream ends early: IsDamaged() says so and
// what was inflated before it is good. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "schema/base/result.h"

namespace gpuwhy::kineto {

class ByteSource {
 public:
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path, bool is_gzip);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills `out` as far as the file goes; fewer than `size` bytes mean the end.
  size_t Read(char* out, size_t size);
  bool IsDamaged() const { return is_damaged_; }
  // Bytes of the file read so far, as stored.
  uint64_t DoneBytes() const { return done_bytes_; }

 private:
  struct Gzip;
  ByteSource(int fd, bool is_gzip);
  size_t ReadFile(char* out, size_t size);
  size_t Inflate(char* out, size_t size);
  bool Refill();
  bool InflateSome();

  int fd_;
  std::unique_ptr<Gzip> gzip_;  // null for a plain file
  uint64_t done_bytes_ = 0;
  bool is_damaged_ = false;
};

}  // namespace gpuwhy::kineto
