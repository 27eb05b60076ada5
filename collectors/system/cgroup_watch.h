// SPDX-License-Identifier: Apache-2.0
// Which cgroups to look at: those of the recorded processes and all above them, since a quota of
// any of them stops its members. At most 64 of a controller. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collectors/system/cgroup_files.h"
#include "collectors/system/system_poller.h"

namespace gpuwhy {

// By the folder's name.
using CgroupFolders = std::map<std::string, CgroupFolder>;

struct WatchedCgroups {
  CgroupFolders cpu, memory, cpuset;
  bool is_cut = false;  // there are more than are watched
};

WatchedCgroups FindCgroups(const std::vector<CgroupMount>& mounts,
                           std::span<const PolledProcess> targets);

}  // namespace gpuwhy
