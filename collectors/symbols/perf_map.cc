// SPDX-License-Identifier: Apache-2.0
#include "collectors/symbols/perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "collectors/process/number_text.h"
#include "collectors/process/proc_status.h"
#include "collectors/process/read_file.h"

namespace gpuwhy {
namespace {

constexpr size_t kMaxFileBytes = 256 << 20;  // millions of functions
constexpr std::string_view kJit = "[jit]";

bool IsTrusted(int fd, pid_t pid) {
  struct stat file {};
  struct stat process {};
  const std::string process_path = ProcPath(pid, "");
  if (fstat(fd, &file) != 0 || stat(process_path.c_str(), &process) != 0) return false;
  return S_ISREG(file.st_mode) && (file.st_uid == process.st_uid || file.st_uid == 0);
}

UniqueFd OpenTrusted(const std::string& path, pid_t pid) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  return fd.ok() && IsTrusted(fd.get(), pid) ? std::move(fd) : UniqueFd();
}

}  // namespace

std::optional<PerfMap> PerfMap::Open(pid_t pid) {
  const Result<pid_t> inner = ReadInnermostPid(pid);
  const pid_t own_pid = inner.ok() ? inner.value() : pid;
  for (const std::string& path : {fmt::format("/proc/{}/root/tmp/perf-{}.map", pid, own_pid),
                                  fmt::format("/tmp/perf-{}.map", pid)}) {
    UniqueFd fd = OpenTrusted(path, pid);
    if (fd.ok()) return PerfMap(std::move(fd));
  }
  return std::nullopt;
}

std::optional<Frame> PerfMap::Resolve(uint64_t address) {
  std::optional<NamedRange> found = functions_.Find(address);
  if (!found && ReadIfGrown()) found = functions_.Find(address);
  if (!found) return std::nullopt;
  return Frame{.function = std::string(found->name),
               .module = std::string(kJit),
               .offset_bytes = address - found->start,
               .is_known = true};
}

bool PerfMap::ReadIfGrown() {
  struct stat file {};
  if (fstat(fd_.get(), &file) != 0) return false;
  const size_t size_bytes = std::min(static_cast<size_t>(file.st_size), kMaxFileBytes);
  if (size_bytes == read_bytes_) return false;
  const Result<std::string> text = ReadWholeFd(fd_.get(), "perf map", size_bytes);
  if (!text.ok()) return false;
  read_bytes_ = size_bytes;
  functions_ = {};
  skipped_line_count_ = AddPerfMapLines(text.value(), functions_);
  functions_.Sort();
  return true;
}

int64_t AddPerfMapLines(std::string_view text, NamedRanges& functions) {
  int64_t skipped_count = 0;
  while (text.find('\n') != std::string_view::npos) {
    std::string_view line = TakeLine(text);
    const auto start = TakeNumber<uint64_t>(line, 16);
    const bool has_start = start && TakeChar(line, ' ');
    const auto size = has_start ? TakeNumber<uint64_t>(line, 16) : std::nullopt;
    if (size && TakeChar(line, ' ') && !line.empty()) {
      functions.Add(*start, *size, line);
    } else {
      ++skipped_count;
    }
  }
  return skipped_count;
}

}  // namespace gpuwhy
