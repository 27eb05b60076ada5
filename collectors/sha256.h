// SPDX-License-Identifier: Apache-2.0
// SHA-256 of a file, so that a database says exactly which file it was imported from.
#pragma once

#include <string>

#include "schema/base/result.h"

namespace gpuwhy {

// 64 lower-case hexadecimal digits.
Result<std::string> Sha256OfFile(const std::string& path);

}  // namespace gpuwhy
