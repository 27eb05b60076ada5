// SPDX-License-Identifier: Apache-2.0
#include "server/file_identity.h"

#include <sys/stat.h>

#include <filesystem>

namespace gpuwhy {

FileIdentity IdentityOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  FileIdentity identity{.device = status.st_dev, .inode = status.st_ino};
  std::error_code failure;
  identity.has_writer = std::filesystem::exists(path + "-wal", failure);
  if (identity.has_writer) return identity;
  identity.modified_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  identity.size_bytes = status.st_size;
  return identity;
}

}  // namespace gpuwhy
