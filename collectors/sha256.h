// SPDX-License-Identifier: Apache-2.0
// SHA-256 of a file, so that a database says exactly which file it was imported from.
#pragma once

#include <stop_token>
#include <string>

#include "schema/base/result.h"

namespace gpuwhy {

// 64 lower-case hexadecimal digits.
// Gives up with kCancelled soon after a stop.
Result<std::string> Sha256OfFile(const std::string& path, const std::stop_token& stop = {});

}  // namespace gpuwhy
