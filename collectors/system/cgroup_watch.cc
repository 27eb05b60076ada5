// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/cgroup_watch.h"

#include "collectors/process/read_file.h"

namespace gpuwhy {
namespace {

constexpr size_t kMostFolders = 64;

// False when there was no room.
bool Keep(std::optional<CgroupFolder> folder, bool with_those_above, CgroupFolders& folders) {
  for (; folder; folder = with_those_above ? Above(*folder) : std::nullopt) {
    std::string name = folder->FileName("");
    if (folders.contains(name)) return true;
    if (folders.size() == kMostFolders) return false;
    folders.emplace(std::move(name), *folder);
  }
  return true;
}

}  // namespace

WatchedCgroups FindCgroups(const std::vector<CgroupMount>& mounts,
                           std::span<const PolledProcess> targets) {
  WatchedCgroups watched;
  for (const PolledProcess& target : targets) {
    const auto text = ReadWholeFile(ProcPath(target.pid, "cgroup"));
    if (!text.ok()) continue;  // it has ended
    const auto keep = [&](std::string_view controller, bool with_those_above, CgroupFolders& to) {
      const bool is_kept = Keep(FolderOf(mounts, text.value(), controller), with_those_above, to);
      watched.is_cut = watched.is_cut || !is_kept;
    };
    keep("cpu", true, watched.cpu);
    keep("memory", true, watched.memory);
    keep("cpuset", false, watched.cpuset);
  }
  return watched;
}

}  // namespace gpuwhy
