// SPDX-License-Identifier: Apache-2.0
// Whether a trace file is still the one that was opened. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace gpuwhy {

// What must stay the same for a handle to stay valid. A live recording grows its -wal file, which
// its readers follow by themselves; only the switch between "has a writer" and "has none" matters.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  int64_t modified_ns = 0;
  int64_t size_bytes = 0;
  bool has_writer = false;

  bool operator==(const FileIdentity&) const = default;
};

// All zero when there is no such file.
FileIdentity IdentityOf(const std::string& path);

}  // namespace gpuwhy
