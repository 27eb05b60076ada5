// SPDX-License-Identifier: Apache-2.0
// Where each version of CPython keeps threads, frames and code objects: tables for 3.11 and 3.12;
// 3.13 and 3.14 say it themselves at the start of _PyRuntime. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <span>

#include "collectors/ebpf/python_wire.h"
#include "schema/base/result.h"

namespace gpuwhy {

// Words of _Py_DebugOffsets that are needed.
inline constexpr size_t kDebugOffsetWords = 50;

// Offsets without addresses. `version` is Py_Version, such as 0x030b07f0; `words` are the first of
// _PyRuntime. Refuses versions that are not known and builds without the global lock.
Result<PythonProcess> PythonLayoutOf(uint64_t version, std::span<const uint64_t> words);

}  // namespace gpuwhy
