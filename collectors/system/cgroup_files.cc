// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/cgroup_files.h"

#include <algorithm>

#include "collectors/process/cgroup.h"
#include "collectors/process/number_text.h"
#include "collectors/system/named_numbers.h"

namespace gpuwhy {
namespace {

constexpr int64_t kMicrosecond = 1000;

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<CgroupMount> ParseMount(std::string_view line) {
  const size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  const auto before = Split(line.substr(0, dash), ' ');
  const auto after = Split(line.substr(dash + 3), ' ');
  if (before.size() < 5 || after.size() < 3) return std::nullopt;
  if (after[0] != "cgroup" && after[0] != "cgroup2") return std::nullopt;
  CgroupMount mount{before[3], before[4], after[0] == "cgroup2", {}};
  if (!mount.is_v2) mount.controllers = Split(after[2], ',');
  return mount;
}

// The path of a process inside of what is mounted.
std::optional<std::string> PathBelow(std::string_view root, std::string_view path) {
  if (root == "/") return std::string(path);
  if (!IsInCgroup(path, root)) return std::nullopt;
  path.remove_prefix(root.size());
  return path.empty() ? "/" : std::string(path);
}

std::optional<CgroupFolder> FolderIn(const std::vector<CgroupMount>& mounts,
                                     std::string_view controller, std::string_view path) {
  for (const CgroupMount& mount : mounts) {
    if (mount.is_v2 != controller.empty()) continue;
    if (!mount.is_v2 && !Contains(mount.controllers, controller)) continue;
    auto below = PathBelow(mount.root, path);
    if (below) return CgroupFolder{mount.folder, std::move(*below), mount.is_v2};
  }
  return std::nullopt;
}

}  // namespace

std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  while (!mountinfo.empty()) {
    if (auto mount = ParseMount(TakeLine(mountinfo))) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

std::string CgroupFolder::FileName(std::string_view name) const {
  return mount_folder + (path == "/" ? "" : path) + "/" + std::string(name);
}

std::optional<CgroupFolder> FolderOf(const std::vector<CgroupMount>& mounts,
                                     std::string_view memberships, std::string_view controller) {
  std::optional<CgroupFolder> unified;
  while (!memberships.empty()) {
    const std::string_view line = TakeLine(memberships);
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (names.empty()) unified = FolderIn(mounts, "", path);
    if (!Contains(Split(names, ','), controller)) continue;
    if (auto folder = FolderIn(mounts, controller, path)) return folder;
  }
  return unified;
}

std::optional<CgroupFolder> Above(const CgroupFolder& folder) {
  if (folder.path == "/") return std::nullopt;
  CgroupFolder above = folder;
  above.path.resize(above.path.rfind('/'));
  if (above.path.empty()) above.path = "/";
  return above;
}

std::optional<CpuBandwidth> ParseCpuBandwidth(std::string_view cpu_stat) {
  const auto numbers = NamedNumbers::Parse(cpu_stat);
  const auto periods = numbers.Find("nr_periods");
  const auto throttled = numbers.Find("nr_throttled");
  const auto ns = numbers.Find("throttled_time");
  const auto us = numbers.Find("throttled_usec");
  if (!periods || !throttled || (!ns && !us)) return std::nullopt;
  return CpuBandwidth{*periods, *throttled, ns ? *ns : *us * kMicrosecond};
}

std::optional<double> ParseCpuMax(std::string_view text) {
  std::string_view line = TakeLine(text);
  const auto quota = TakeNumber<int64_t>(line);
  if (!quota || !TakeChar(line, ' ')) return std::nullopt;
  const auto period = TakeNumber<int64_t>(line);
  if (!period || *period <= 0 || *quota < 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<int64_t> CountOfList(std::string_view text) {
  std::string_view line = TakeLine(text);
  int64_t count = 0;
  do {
    const auto first = TakeNumber<int64_t>(line);
    auto last = first;
    if (TakeChar(line, '-')) last = TakeNumber<int64_t>(line);
    if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
    count += *last - *first + 1;
  } while (TakeChar(line, ','));
  return line.empty() ? std::optional(count) : std::nullopt;
}

}  // namespace gpuwhy
