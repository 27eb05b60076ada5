// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "collectors/process/read_file.h"

namespace gpuwhy {
namespace {

using State = struct stat;

std::string MapFilesPath(pid_t pid, const Mapping& mapping) {
  return ProcPath(pid, fmt::format("map_files/{:x}-{:x}", mapping.start, mapping.end));
}

std::optional<State> StateOf(const std::string& path) {
  State state{};
  if (stat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return std::nullopt;
  return state;
}

// On overlayfs and btrfs the device of maps is not the one of stat; what map_files leads to is
// compared as well.
class Identity {
 public:
  Identity(pid_t pid, const Mapping& mapping)
      : file_(mapping.file), mapped_(StateOf(MapFilesPath(pid, mapping))) {}

  bool IsSame(const State& state) const {
    if (mapped_) return mapped_->st_dev == state.st_dev && mapped_->st_ino == state.st_ino;
    return FileId{major(state.st_dev), minor(state.st_dev), state.st_ino} == file_;
  }

 private:
  FileId file_;
  std::optional<State> mapped_;  // absent without CAP_CHECKPOINT_RESTORE
};

// Empty when the path does not lead to the mapped file. stat comes first: opening may have effects.
std::optional<MappedFile> TryOpen(const std::string& path, const Identity& identity) {
  if (!path.starts_with('/')) return std::nullopt;  // "anon_inode:[io_uring]"
  const std::optional<State> before = StateOf(path);
  if (!before || !identity.IsSame(*before)) return std::nullopt;
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  State state{};
  if (!fd.ok() || fstat(fd.get(), &state) != 0 || !identity.IsSame(state)) return std::nullopt;
  const int64_t changed_ns = state.st_mtim.tv_sec * 1'000'000'000 + state.st_mtim.tv_nsec;
  return MappedFile{path, std::move(fd), static_cast<uint64_t>(state.st_size), changed_ns};
}

}  // namespace

Result<MappedFile> OpenMappedFile(pid_t pid, const Mapping& mapping) {
  const Identity identity(pid, mapping);
  for (const std::string& path :
       {mapping.path, ProcPath(pid, "root") + mapping.path, MapFilesPath(pid, mapping)}) {
    errno = 0;
    std::optional<MappedFile> file = TryOpen(path, identity);
    if (file) return *std::move(file);
    if (errno == EMFILE || errno == ENFILE) {
      return Unavailable(fmt::format("cannot open {}: too many open files; raise ulimit -n", path));
    }
  }
  return NotFound(
      fmt::format("cannot open {} as process {} mapped it: it ended, or its file was deleted or "
                  "replaced and root is needed to reach it",
                  mapping.path, pid));
}

}  // namespace gpuwhy
