// SPDX-License-Identifier: Apache-2.0
// Lines of CPython code objects: co_linetable of 3.11 and later, as Objects/locations.md (3.11) and
// InternalDocs/code_objects.md (3.14) describe it. An entry is a first byte 1CCCCLLL (kind of
// entry, code units less one) and numbers of six bits a byte. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace gpuwhy {

// The line of the instruction at `offset_bytes`; 0 when it has none. Nothing when the table does
// not reach that far or is damaged. Of a longer table its start may be given.
std::optional<int64_t> PythonLineAt(std::span<const uint8_t> table, int64_t first_line,
                                    int64_t offset_bytes);

}  // namespace gpuwhy
