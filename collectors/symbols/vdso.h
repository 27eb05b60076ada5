// SPDX-License-Identifier: Apache-2.0
// The code that the kernel maps into every process. It has no file: this makes one, in memory, of
// our own mapping, which is that of all processes of our word size. Any thread.
#pragma once

#include <cstdint>

#include "collectors/process/unique_fd.h"
#include "schema/base/result.h"

namespace gpuwhy {

// kUnavailable when ours has another size than the one asked about: a process of 32 bits.
Result<UniqueFd> CopyVdso(uint64_t expected_bytes);

}  // namespace gpuwhy
