// SPDX-License-Identifier: Apache-2.0
// What this machine has, by looking: files of the kernel, capabilities of this process, libraries
// that load. Nothing is started, nothing is changed, no process is run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuwhy {

// First line of a file of /proc or /sys; nullopt when it cannot be read.
std::optional<std::string> ReadFirstLine(const std::string& path);
// Text between `before` and the next space of such a file's first line.
std::optional<std::string> WordAfter(const std::string& text, std::string_view before);

std::string KernelRelease();
bool IsRoot();
// Effective capability by number (CAP_PERFMON 38, CAP_BPF 39); false when it cannot be read.
bool HasCapability(int number);
bool CanRead(const std::string& path);

struct LoadedLibrary {
  std::string name;            // the name that loaded
  std::optional<int> version;  // from the library itself, as it encodes it
};

// The first of `names` that loads, asked for its version through `version_function` (signature
// int(int*), zero on success; empty = do not ask).
std::optional<LoadedLibrary> LoadLibrary(std::span<const char* const> names,
                                         const char* version_function);

// The interpreter that `python3` on the PATH stands for, for example "python3.11 at /usr/bin".
std::optional<std::string> FindPython();

}  // namespace gpuwhy
