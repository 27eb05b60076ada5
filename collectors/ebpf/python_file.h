// SPDX-License-Identifier: Apache-2.0
// A file that holds a CPython interpreter: libpython3.X.so or a program that it was linked into.
// All is told by its symbols and data, nothing by its name. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectors/ebpf/python_wire.h"
#include "collectors/process/proc_maps.h"
#include "schema/base/result.h"

namespace gpuwhy {

struct PythonFile {
  PythonProcess layout{};         // addresses as linked
  uint64_t loop_address = 0;      // of the interpreter's loop, as linked
  uint64_t loop_file_offset = 0;  // and where in the file
};

// Nothing for a file without an interpreter; an error for one that cannot be followed.
Result<std::optional<PythonFile>> ReadPythonFile(int fd, const std::string& name);

// With the addresses of a process that has the file in these mappings; nothing when they do not
// hold its code.
std::optional<PythonProcess> PlaceOf(const PythonFile& file, const std::vector<Mapping>& mappings);

}  // namespace gpuwhy
