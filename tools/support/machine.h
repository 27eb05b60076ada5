// SPDX-License-Identifier: Apache-2.0
// What this machine offers to a recorder, found by looking: files under /proc and /sys,
// capabilities of this process, libraries that can be loaded. Nothing is changed. Any thread.
#pragma once

#include <string>
#include <vector>

namespace gpuwhy {

struct MachineCheck {
  std::string what;  // "kernel type information (BTF)"
  bool is_ok = false;
  bool is_needed_to_record = false;
  std::string found;    // what was seen
  std::string meaning;  // what it is for
  std::string fix;      // the command that fixes it; empty when fine or when nothing does
};

std::vector<MachineCheck> CheckMachine();

}  // namespace gpuwhy
