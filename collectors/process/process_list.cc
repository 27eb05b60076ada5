// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/process_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "collectors/process/cgroup.h"
#include "collectors/process/number_text.h"
#include "collectors/process/proc_status.h"

namespace gpuwhy {
namespace {

constexpr size_t kMaxNameBytes = 15;

Result<std::vector<pid_t>> PidsWhere(const std::function<bool(pid_t)>& is_wanted) {
  GPUWHY_ASSIGN_OR_RETURN(std::vector<pid_t> pids, ListPids());
  std::erase_if(pids, [&](pid_t pid) { return !is_wanted(pid); });
  return pids;
}

}  // namespace

Result<std::vector<pid_t>> ListNumbers(const std::string& directory) {
  std::error_code error;
  std::vector<pid_t> numbers;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::string_view rest = name;
    const auto number = TakeNumber<pid_t>(rest);
    if (number && rest.empty()) numbers.push_back(*number);
  }
  if (error) return NotFound(fmt::format("cannot list {}: {}", directory, error.message()));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<std::vector<pid_t>> ListPids() {
  return ListNumbers("/proc");
}

Result<std::vector<pid_t>> PidsOfName(std::string_view name) {
  return PidsWhere([name = name.substr(0, kMaxNameBytes)](pid_t pid) {
    const Result<ProcessStat> stat = ReadStat(pid);
    return stat.ok() && stat.value().name == name;
  });
}

Result<std::vector<pid_t>> PidsOfCgroup(std::string_view path) {
  return PidsWhere([path](pid_t pid) {
    const Result<std::vector<std::string>> paths = ReadCgroupPaths(pid);
    return paths.ok() && std::any_of(paths.value().begin(), paths.value().end(),
                                     [path](const auto& own) { return IsInCgroup(own, path); });
  });
}

Result<std::vector<pid_t>> DescendantsOf(pid_t pid) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<pid_t> pids, ListPids());
  std::unordered_map<pid_t, std::vector<pid_t>> children;
  for (const pid_t other : pids) {
    const Result<ProcessStat> stat = ReadStat(other);
    if (stat.ok()) children[stat.value().parent_pid].push_back(other);
  }
  std::vector<pid_t> found = std::move(children[pid]);
  for (size_t at = 0; at < found.size(); ++at) {
    const std::vector<pid_t> next = std::move(children[found[at]]);
    found.insert(found.end(), next.begin(), next.end());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace gpuwhy
