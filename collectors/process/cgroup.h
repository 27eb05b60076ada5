// SPDX-License-Identifier: Apache-2.0
// The control groups of a process, and the container that they name. Understands cgroup v1 and v2
// with Docker, containerd (Kubernetes and nerdctl), CRI-O and Podman. Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

struct Container {
  std::string runtime;  // "docker", "containerd", "cri-o", "podman", or "" when the path says none
  std::string id;       // 64 hexadecimal digits

  bool operator==(const Container&) const = default;
};

// The paths of /proc/PID/cgroup, each once, that of v2 first:
//   0::/system.slice/docker-6c1f...e2.scope
//   5:cpu,cpuacct:/docker/6c1f...e2
std::vector<std::string> ParseCgroupPaths(std::string_view text);
Result<std::vector<std::string>> ReadCgroupPaths(pid_t pid);

// The most telling path: the first that is not the root, else "/".
std::string MainCgroupPath(const std::vector<std::string>& paths);
// The innermost container of the path. The monitor beside a container (conmon) is not in it.
std::optional<Container> ContainerOfCgroup(std::string_view path);
// True when `path` is `ancestor` or below it.
bool IsInCgroup(std::string_view path, std::string_view ancestor);

}  // namespace gpuwhy
