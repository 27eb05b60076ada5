// SPDX-License-Identifier: Apache-2.0
// One thing that a recording needs or can use on this machine, looked at or tried: what tools and
// the recorder both tell in gpuwhy check. Data only.
#pragma once

#include <string>

namespace gpuwhy {

enum class CheckState {
  kOk,
  kLimited,  // recording works, with less
  kMissing,
};

struct MachineCheck {
  std::string what;  // "kernel type information (BTF)"
  CheckState state = CheckState::kMissing;
  bool is_needed_to_record = false;
  std::string found;    // what was seen; cleaned
  std::string meaning;  // what it is for
  std::string fix;      // the command that fixes it; empty when fine or when nothing does
};

}  // namespace gpuwhy
