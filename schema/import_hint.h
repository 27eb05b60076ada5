// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace gpuwhy {

// What to do with a file that is no trace database.
inline constexpr std::string_view kImportHint =
    "if another profiler wrote it, run: gpuwhy import FILE";

}  // namespace gpuwhy
