// SPDX-License-Identifier: Apache-2.0
// The version of the program, from the project() line of CMakeLists.txt.
#pragma once

#include <string_view>

namespace gpuwhy {

inline constexpr std::string_view kVersion = GPUWHY_VERSION;

}  // namespace gpuwhy
