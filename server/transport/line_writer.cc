// SPDX-License-Identifier: Apache-2.0
#include "server/transport/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace gpuwhy {
namespace {

constexpr size_t kMaxPendingBytes = size_t{64} << 10;  // what a pipe takes at once
constexpr size_t kIdleCapacityBytes = size_t{1} << 20;

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

void LineWriter::WriteOut() {
  if (pending_.empty() || is_broken_) return;
  if (!WriteAll(fd_, pending_)) {
    is_broken_ = true;
    on_broken_();
  }
  pending_.clear();
  if (pending_.capacity() > kIdleCapacityBytes) std::string().swap(pending_);
}

void LineWriter::Write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (is_broken_) return;
  pending_.append(line);
  pending_ += '\n';
  if (!is_held_ || pending_.size() >= kMaxPendingBytes) WriteOut();
}

void LineWriter::Release() {
  is_held_ = false;
  const std::lock_guard lock(mutex_);
  WriteOut();
}

void LineWriter::ReleaseWithoutWaiting() {
  is_held_ = false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) WriteOut();
}

}  // namespace gpuwhy
