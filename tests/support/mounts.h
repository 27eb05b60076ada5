// SPDX-License-Identifier: Apache-2.0
// A mount namespace of one's own, in a process that may make one.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace gpuwhy {

// Enters a new mount namespace with an empty file system at `path`, which nobody else sees.
inline bool HideUnderTmpfs(const std::string& path) {
  return unshare(CLONE_NEWNS) == 0 && mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", path.c_str(), "tmpfs", 0, "") == 0;
}

}  // namespace gpuwhy
