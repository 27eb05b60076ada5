// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/cgroup_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "schema/base/text.h"

namespace gpuwhy {
namespace {

bool IsCgroup(const std::filesystem::path& directory) {
  std::error_code ignored;
  return std::filesystem::exists(directory / "cgroup.procs", ignored);
}

std::optional<struct stat> StatOf(const std::filesystem::path& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return std::nullopt;
  return facts;
}

// Up to where its file system is mounted: above, the device is another one.
std::filesystem::path HierarchyOf(std::filesystem::path directory) {
  const auto device = StatOf(directory);
  while (device && directory.has_relative_path()) {
    const auto above = StatOf(directory.parent_path());
    if (!above || above->st_dev != device->st_dev) break;
    directory = directory.parent_path();
  }
  return directory;
}

// The root itself (v2) and every hierarchy below it (v1, or both).
std::vector<std::filesystem::path> Places(const std::string& root) {
  std::vector<std::filesystem::path> places;
  std::error_code failure;
  std::filesystem::directory_iterator entry(root, failure);
  for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure))
    places.push_back(entry->path());
  std::sort(places.begin(), places.end());
  places.insert(places.begin(), root);
  return places;
}

}  // namespace

Result<CgroupDirectory> FindCgroupDirectory(const std::string& wanted, const std::string& root) {
  const std::filesystem::path relative = std::filesystem::path(wanted).relative_path();
  std::vector<std::filesystem::path> candidates = {wanted};
  for (const auto& place : Places(root))
    candidates.push_back(place / relative);
  for (const auto& candidate : candidates) {
    std::error_code failure;
    const auto directory = std::filesystem::canonical(candidate, failure);
    if (failure || !IsCgroup(directory)) continue;
    const auto facts = StatOf(directory);
    if (!facts) continue;
    const auto below = directory.lexically_relative(HierarchyOf(directory));
    return CgroupDirectory{.directory = directory.string(),
                           .path = below == "." ? "/" : "/" + below.string(),
                           .id = facts->st_ino};
  }
  return NotFound(
      fmt::format("there is no cgroup {}: name a directory below {}, such as those in "
                  "/proc/PID/cgroup",
                  CleanText(wanted, 200), root));
}

}  // namespace gpuwhy
