// SPDX-License-Identifier: Apache-2.0
// What /proc says of a process, in the form of its row. A process that is gone leaves fields empty.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "collectors/recorder.h"

namespace gpuwhy {

ProcessFacts ReadProcessFacts(pid_t pid);
uint32_t ParentOf(pid_t pid);  // 0 when unknown

}  // namespace gpuwhy
