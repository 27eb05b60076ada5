// SPDX-License-Identifier: Apache-2.0
#include "tools/support/machine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gpuwhy {

std::optional<std::string> ReadFirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::string> WordAfter(const std::string& text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return std::nullopt;
  const size_t start = text.find_first_not_of(' ', at + before.size());
  if (start == std::string::npos) return std::nullopt;
  return text.substr(start, text.find(' ', start) - start);
}

std::string KernelRelease() {
  utsname name{};
  return uname(&name) == 0 ? name.release : "unknown";
}

bool IsRoot() {
  return geteuid() == 0;
}

bool HasCapability(int number) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kKey = "CapEff:";
    if (!line.starts_with(kKey)) continue;
    const uint64_t mask = std::strtoull(line.c_str() + kKey.size(), nullptr, 16);
    return ((mask >> static_cast<unsigned>(number)) & 1U) != 0;
  }
  return false;
}

bool CanRead(const std::string& path) {
  return access(path.c_str(), R_OK) == 0;
}

std::optional<LoadedLibrary> LoadLibrary(std::span<const char* const> names,
                                         const char* version_function) {
  for (const char* name : names) {
    void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    LoadedLibrary found{.name = name};
    using Ask = int (*)(int*);
    const auto ask = version_function == nullptr
                         ? nullptr
                         : reinterpret_cast<Ask>(dlsym(library, version_function));
    int version = 0;
    if (ask != nullptr && ask(&version) == 0) found.version = version;
    // Never dlclose: drivers start threads that outlive their last user.
    return found;
  }
  return std::nullopt;
}

std::optional<std::string> FindPython() {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "/usr/bin" : path;
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest = folder.size() < rest.size() ? rest.substr(folder.size() + 1) : "";
    std::error_code failure;
    const std::filesystem::path file =
        std::filesystem::canonical(std::filesystem::path(folder) / "python3", failure);
    if (!failure && access(file.c_str(), X_OK) == 0) {
      return fmt::format("{} in {}", file.filename().string(), folder);
    }
  }
  return std::nullopt;
}

}  // namespace gpuwhy
