// SPDX-License-Identifier: Apache-2.0
// What a directory holds, to show that something did not change it.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "collectors/sha256.h"

namespace gpuwhy {

// File name -> SHA-256 of its content.
inline std::map<std::string, std::string> StateOf(const std::string& directory) {
  std::map<std::string, std::string> state;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto hash = Sha256OfFile(entry.path().string());
    state[entry.path().filename().string()] = hash.ok() ? hash.value() : "unreadable";
  }
  return state;
}

}  // namespace gpuwhy
