// SPDX-License-Identifier: Apache-2.0
// What interrupts training now and then: checkpoints that reach the disk, log calls that block.
#pragma once

#include "examples/simgpu/workloads/options.h"
#include "schema/base/result.h"

namespace gpuwhy::simgpu {

// After step `step` (from 1), what is due.
Status PauseAfterStep(const PauseOptions& options, int64_t step);

// Maps, touches and unmaps so many bytes of fresh memory.
void TouchFreshMemory(size_t bytes);
// Mappings of touched memory that the kernel cannot merge, until the process ends.
void KeepResident(int mappings, size_t bytes);

}  // namespace gpuwhy::simgpu
