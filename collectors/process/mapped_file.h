// SPDX-License-Identifier: Apache-2.0
// Opens the file behind a mapping of another process: in its mount namespace, deleted or replaced
// since. What is opened is the mapped file itself, or nothing. Never waits for a FIFO or a device.
// Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "collectors/process/proc_maps.h"
#include "collectors/process/unique_fd.h"
#include "schema/base/result.h"

namespace gpuwhy {

struct MappedFile {
  // The path itself where it leads to the file from here too, else under /proc/PID/root, else
  // /proc/PID/map_files/START-END. The latter two end with the process; `fd` does not.
  std::string open_path;
  UniqueFd fd;
  uint64_t size_bytes = 0;
  int64_t changed_ns = 0;  // mtime
};

Result<MappedFile> OpenMappedFile(pid_t pid, const Mapping& mapping);

}  // namespace gpuwhy
