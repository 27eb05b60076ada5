// SPDX-License-Identifier: Apache-2.0
// What this machine offers to a recorder, found by looking: files under /proc and /sys,
// capabilities of this process, libraries that can be loaded. Nothing is changed. Any thread.
#pragma once

#include <string>
#include <vector>

#include "schema/machine_check.h"
#include "tools/answer.h"

namespace gpuwhy {

std::vector<MachineCheck> CheckMachine();

// Parts of it, by source file.
std::vector<MachineCheck> CheckKernel();      // version, type information, settings
std::vector<MachineCheck> CheckPrivileges();  // each capability that recording uses

// The table of checks, for those who add rows of their own.
Table ChecksTable();
std::vector<Value> RowOf(const MachineCheck& check);
// What keeps a recording from working, joined by commas; empty when nothing does.
std::string MissingToRecord(const std::vector<MachineCheck>& checks);

}  // namespace gpuwhy
