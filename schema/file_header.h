// SPDX-License-Identifier: Apache-2.0
// Looks at the first bytes of a database file before SQLite does, so that a missing, empty,
// truncated or foreign file is refused in one sentence that says which it is.
#pragma once

#include <string>

#include "schema/base/result.h"

namespace gpuwhy {

struct FileHeader {
  bool is_wal = false;
};

Result<FileHeader> ReadHeader(const std::string& path);

}  // namespace gpuwhy
