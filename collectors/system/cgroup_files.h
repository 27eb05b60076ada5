// SPDX-License-Identifier: Apache-2.0
// Where the files of a process's cgroups are, and what those of the CPU and memory controllers say,
// in the forms of v1 (one tree a controller) and v2 (one tree for all). The parsers are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

struct CgroupMount {
  std::string root;    // which cgroup the folder shows: "/" unless a container mounts its own
  std::string folder;  // "/sys/fs/cgroup/cpu"
  bool is_v2 = false;
  std::vector<std::string> controllers;  // of v1
};

// The mounts of cgroup trees of /proc/self/mountinfo:
//   31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo);

struct CgroupFolder {
  std::string mount_folder;
  std::string path;  // inside of the mount; "/" is its top
  bool is_v2 = false;

  std::string FileName(std::string_view name) const;
};

// The folder of `controller` for a process with this /proc/PID/cgroup: of v1 when that controller
// is mounted so, else of v2.
//   4:cpu,cpuacct:/docker/6c1f
//   0::/system.slice/docker-6c1f.scope
std::optional<CgroupFolder> FolderOf(const std::vector<CgroupMount>& mounts,
                                     std::string_view memberships, std::string_view controller);
// The folder above; nothing above the top.
std::optional<CgroupFolder> Above(const CgroupFolder& folder);

struct CpuBandwidth {
  int64_t period_count = 0;
  int64_t throttled_count = 0;  // periods in which the quota was used up
  int64_t throttled_ns = 0;     // summed over the cores that stood still
};

// cpu.stat with throttled_time (v1, ns) or throttled_usec (v2); nothing when it tells of no quota,
// as at the top of v2.
std::optional<CpuBandwidth> ParseCpuBandwidth(std::string_view cpu_stat);
// cpu.max "20000 100000" in cores: 0.2; nothing for "max 100000".
std::optional<double> ParseCpuMax(std::string_view text);
// How many are in a list like "0-3,8": 5.
std::optional<int64_t> CountOfList(std::string_view text);

}  // namespace gpuwhy
