// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/process_facts.h"

#include "collectors/process/cgroup.h"
#include "collectors/process/command_line.h"
#include "collectors/process/proc_status.h"

namespace gpuwhy {

ProcessFacts ReadProcessFacts(pid_t pid) {
  ProcessFacts facts;
  if (const auto stat = ReadStat(pid); stat.ok()) facts.name = stat.value().name;
  if (auto line = ReadRedactedCommandLine(pid); line.ok()) facts.cmdline = std::move(line.value());
  if (const auto paths = ReadCgroupPaths(pid); paths.ok()) {
    const std::string path = MainCgroupPath(paths.value());
    const auto container = ContainerOfCgroup(path);
    if (container) facts.container = container->id;
    if (!container && path != "/") facts.container = path;
  }
  return facts;
}

uint32_t ParentOf(pid_t pid) {
  const auto stat = ReadStat(pid);
  return stat.ok() ? static_cast<uint32_t>(stat.value().parent_pid) : 0;
}

}  // namespace gpuwhy
