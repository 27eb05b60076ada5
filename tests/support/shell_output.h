// SPDX-License-Identifier: Apache-2.0
// What a command of the shell prints; nothing when it fails.
#pragma once

#include <cstdio>
#include <string>

namespace gpuwhy {

inline std::string ShellOutput(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  char bytes[4096];
  for (size_t count = 0; (count = fread(bytes, 1, sizeof bytes, pipe)) > 0;)
    output.append(bytes, count);
  return pclose(pipe) == 0 ? output : std::string();
}

}  // namespace gpuwhy
