// SPDX-License-Identifier: Apache-2.0
#include "collectors/process/cgroup.h"

#include <algorithm>
#include <array>

#include "collectors/process/number_text.h"
#include "collectors/process/read_file.h"
#include "schema/base/text.h"

namespace gpuwhy {
namespace {

constexpr size_t kIdDigits = 64;

struct Pattern {
  std::string_view prefix;  // of the scope with the id, or the name of the folder above
  std::string_view runtime;
};
// "cri-containerd-ID.scope", "kubepods-pod1.slice:cri-containerd:ID", "/docker/ID"
constexpr std::array kPatterns{Pattern{"cri-containerd", "containerd"},
                               Pattern{"nerdctl", "containerd"},
                               Pattern{"containerd", "containerd"},
                               Pattern{"docker", "docker"},
                               Pattern{"crio", "cri-o"},
                               Pattern{"libpod", "podman"},
                               Pattern{"libpod_parent", "podman"}};

std::string_view TakeLastPart(std::string_view& path) {
  const size_t slash = path.rfind('/');
  const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
  path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  return part;
}

std::string_view RuntimeOf(std::string_view word) {
  if (word.ends_with('-') || word.ends_with(':')) word.remove_suffix(1);
  word = word.substr(word.rfind(':') + 1);  // "kubepods-pod1.slice:cri-containerd"; npos + 1 is 0
  const auto* pattern = std::find_if(kPatterns.begin(), kPatterns.end(),
                                     [word](const Pattern& p) { return p.prefix == word; });
  return pattern == kPatterns.end() ? std::string_view() : pattern->runtime;
}

// `part` is PREFIX ID or PREFIX ID ".scope".
std::optional<Container> ContainerOfPart(std::string_view part, std::string_view parent) {
  if (part.ends_with(".scope")) part.remove_suffix(6);
  if (part.size() < kIdDigits) return std::nullopt;
  const std::string_view prefix = part.substr(0, part.size() - kIdDigits);
  const std::string_view id = part.substr(prefix.size());
  if (!std::all_of(id.begin(), id.end(), IsLowerHexDigit)) return std::nullopt;
  if (prefix.ends_with("conmon-")) return std::nullopt;
  if (!prefix.empty() && IsLowerHexDigit(prefix.back())) return std::nullopt;
  return Container{std::string(RuntimeOf(prefix.empty() ? parent : prefix)), std::string(id)};
}

}  // namespace

std::vector<std::string> ParseCgroupPaths(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string path(line.substr(second + 1));
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) continue;
    const bool is_v2 = line.starts_with("0::");
    paths.insert(is_v2 ? paths.begin() : paths.end(), path);
  }
  return paths;
}

Result<std::vector<std::string>> ReadCgroupPaths(pid_t pid) {
  GPUWHY_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(ProcPath(pid, "cgroup")));
  return ParseCgroupPaths(text);
}

std::string MainCgroupPath(const std::vector<std::string>& paths) {
  const auto path =
      std::find_if(paths.begin(), paths.end(), [](const auto& p) { return p != "/"; });
  return path == paths.end() ? "/" : *path;
}

std::optional<Container> ContainerOfCgroup(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = TakeLastPart(path);
    std::string_view above = path;
    std::optional<Container> container = ContainerOfPart(part, TakeLastPart(above));
    if (container) return container;
  }
  return std::nullopt;
}

bool IsInCgroup(std::string_view path, std::string_view ancestor) {
  while (ancestor.ends_with('/'))
    ancestor.remove_suffix(1);
  if (!path.starts_with(ancestor)) return false;
  return path.size() == ancestor.size() || path[ancestor.size()] == '/';
}

}  // namespace gpuwhy
