// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "collectors/process/unique_fd.h"

namespace gpuwhy {
namespace {

constexpr size_t kChunkBytes = 1 << 16;

Error ReadError(const std::string& path, int code) {
  const bool is_gone = code == ENOENT || code == ESRCH;
  std::string message = fmt::format("cannot read {}: {}", path, std::strerror(code));
  if (is_gone) return NotFound(message + "; the process may have ended");
  return Unavailable(code == EACCES || code == EPERM ? message + "; run as root" : message);
}

}  // namespace

std::string ProcPath(pid_t pid, std::string_view name) {
  return fmt::format("/proc/{}/{}", pid, name);
}

Result<std::string> ReadWholeFile(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd.ok()) return ReadError(path, errno);
  return ReadWholeFd(fd.get(), path, SIZE_MAX);
}

Result<std::string> ReadWholeFd(int fd, const std::string& name, size_t limit_bytes) {
  std::string text;
  std::array<char, kChunkBytes> chunk;
  while (text.size() < limit_bytes) {
    const size_t wanted = std::min(chunk.size(), limit_bytes - text.size());
    const ssize_t count = pread(fd, chunk.data(), wanted, static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ReadError(name, errno);
    if (count == 0) break;
    text.append(chunk.data(), static_cast<size_t>(count));
  }
  return text;
}

}  // namespace gpuwhy
