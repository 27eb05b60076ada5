// SPDX-License-Identifier: Apache-2.0
#include "collectors/kineto/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "schema/base/text.h"

namespace gpuwhy::kineto {
namespace {

constexpr size_t kInputBytes = 256 << 10;
constexpr int kGzipWindowBits = 15 + 16;  // 16: with gzip header and checksum

}  // namespace

struct ByteSource::Gzip {
  Gzip() : input(kInputBytes) { inflateInit2(&stream, kGzipWindowBits); }
  ~Gzip() { inflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  z_stream stream{};
  std::vector<char> input;
  bool is_between_members = true;
  bool is_finished = false;
};

ByteSource::ByteSource(int fd, bool is_gzip)
    : fd_(fd), gzip_(is_gzip ? std::make_unique<Gzip>() : nullptr) {}

ByteSource::~ByteSource() {
  close(fd_);
}

Result<std::unique_ptr<ByteSource>> ByteSource::Open(const std::string& path, bool is_gzip) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Unavailable(fmt::format("cannot read {}: {}", CleanText(path), std::strerror(errno)));
  }
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<ByteSource>(new ByteSource(fd, is_gzip));
}

size_t ByteSource::Read(char* out, size_t size) {
  return gzip_ ? Inflate(out, size) : ReadFile(out, size);
}

size_t ByteSource::ReadFile(char* out, size_t size) {
  size_t filled = 0;
  while (filled < size) {
    const ssize_t got = read(fd_, out + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) is_damaged_ = true;
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
    done_bytes_ += static_cast<uint64_t>(got);
  }
  return filled;
}

bool ByteSource::Refill() {
  const size_t got = ReadFile(gzip_->input.data(), gzip_->input.size());
  gzip_->stream.next_in = reinterpret_cast<Bytef*>(gzip_->input.data());
  gzip_->stream.avail_in = static_cast<uInt>(got);
  return got > 0;
}

// One call of inflate; false when nothing more can come.
bool ByteSource::InflateSome() {
  z_stream& stream = gzip_->stream;
  if (stream.avail_in == 0 && !Refill()) {
    is_damaged_ = is_damaged_ || !gzip_->is_between_members;
    return false;
  }
  const int code = inflate(&stream, Z_NO_FLUSH);
  if (code == Z_STREAM_END) {
    gzip_->is_between_members = true;
    inflateReset(&stream);
    return true;
  }
  if (code == Z_OK || code == Z_BUF_ERROR) {
    gzip_->is_between_members = false;
    return true;
  }
  // Padding after the last member is common (tar, block devices) and no damage.
  if (!gzip_->is_between_members || stream.total_out > 0) is_damaged_ = true;
  return false;
}

size_t ByteSource::Inflate(char* out, size_t size) {
  z_stream& stream = gzip_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(size);
  while (stream.avail_out > 0 && !gzip_->is_finished) {
    gzip_->is_finished = !InflateSome();
  }
  return size - stream.avail_out;
}

}  // namespace gpuwhy::kineto
