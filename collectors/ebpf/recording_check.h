// SPDX-License-Identifier: Apache-2.0
// Whether this machine lets us record, found by trying: the recorder's programs are loaded and
// attached for a moment, a function is probed, running processes are looked at. Nothing is written
// and nothing stays. One thread.
#pragma once

#include <vector>

#include "schema/machine_check.h"

namespace gpuwhy {

std::vector<MachineCheck> CheckRecording();

// Parts of it.
std::vector<MachineCheck> CheckTracepoints();   // needs no privilege
std::vector<MachineCheck> CheckGpuProcesses();  // those that use a GPU now

}  // namespace gpuwhy
