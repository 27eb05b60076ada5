// SPDX-License-Identifier: Apache-2.0
// What this machine offers to a recorder, found by looking: files under /proc and /sys,
// capabilities of this process, libraries that can be loaded. Nothing is changed. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/machine_check.h"
#include "tools/answer.h"

namespace gpuwhy {

std::vector<MachineCheck> CheckMachine();

// Parts of it, by source file.
std::vector<MachineCheck> CheckKernel();      // version, type information, settings
std::vector<MachineCheck> CheckPrivileges();  // each capability that recording uses

// For the checks themselves. Nothing when the file is absent or refuses to be read, as
// /proc/pressure does when it is off.
std::optional<std::string> FirstLineOf(const char* path);
inline CheckState OkIf(bool is_ok, CheckState otherwise = CheckState::kMissing) {
  return is_ok ? CheckState::kOk : otherwise;
}

// The table of checks, for those who add rows of their own.
Table ChecksTable();
std::vector<Value> RowOf(const MachineCheck& check);
// What keeps a recording from working, joined by commas; empty when nothing does.
std::string MissingToRecord(const std::vector<MachineCheck>& checks);

}  // namespace gpuwhy
