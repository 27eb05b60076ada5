// SPDX-License-Identifier: Apache-2.0
// The control group that a user means: as a directory, as a path below /sys/fs/cgroup, or as
// /proc/PID/cgroup writes it. Understands v2, v1 with a hierarchy a controller, and both at once.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "schema/base/result.h"

namespace gpuwhy {

struct CgroupDirectory {
  std::string directory;  // "/sys/fs/cgroup/cpu/training"
  std::string path;       // in its hierarchy: "/training"
  uint64_t id = 0;        // inode of the directory, by which the kernel knows it
};

Result<CgroupDirectory> FindCgroupDirectory(const std::string& wanted,
                                            const std::string& root = "/sys/fs/cgroup");

}  // namespace gpuwhy
