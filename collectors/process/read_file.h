// SPDX-License-Identifier: Apache-2.0
// Whole small files, those of /proc above all: they have no size that stat would tell. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "schema/base/result.h"

namespace gpuwhy {

// "/proc/42/maps"
std::string ProcPath(pid_t pid, std::string_view name);

// kNotFound when the file (or its process) is gone, kUnavailable when it may not be read.
Result<std::string> ReadWholeFile(const std::string& path);
// From the start of an open file, at most `limit_bytes`.
Result<std::string> ReadWholeFd(int fd, const std::string& name, size_t limit_bytes);

}  // namespace gpuwhy
