// SPDX-License-Identifier: Apache-2.0
// The address space of a process, as /proc/PID/maps tells it:
//   7f1c3a000000-7f1c3a028000 r-xp 00001000 fe:01 1835  /usr/lib/libcudart.so.12 (deleted)
//   7ffd5a5f2000-7ffd5a5f4000 r-xp 00000000 00:00 0     [vdso]
// Lines of another form are refused and counted. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

// Which file, for as long as it exists. `inode` 0: no file.
struct FileId {
  uint32_t device_major = 0;
  uint32_t device_minor = 0;
  uint64_t inode = 0;

  bool operator==(const FileId&) const = default;
  bool operator<(const FileId& other) const {
    return std::tie(device_major, device_minor, inode) <
           std::tie(other.device_major, other.device_minor, other.inode);
  }
};

struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;          // first byte after it
  uint64_t file_offset = 0;  // of `start`
  bool is_executable = false;
  FileId file;
  std::string path;         // without " (deleted)"; "[vdso]", "//anon" and "" are no files
  bool is_deleted = false;  // the file has lost this name: its path may now be another file
};

struct ProcessMaps {
  std::vector<Mapping> mappings;  // by address
  int64_t skipped_line_count = 0;
};

std::optional<Mapping> ParseMapsLine(std::string_view line);
ProcessMaps ParseMaps(std::string_view text);
Result<ProcessMaps> ReadMaps(pid_t pid);

}  // namespace gpuwhy
