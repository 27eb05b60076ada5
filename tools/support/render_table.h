// SPDX-License-Identifier: Apache-2.0
// One table as text: cells joined by " | " for models, aligned columns for people. Part of
// RenderText.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/answer.h"

namespace gpuwhy {

// SGR codes of the few styles in use.
inline constexpr std::string_view kBold = "1";
inline constexpr std::string_view kDim = "2";
inline constexpr std::string_view kRed = "1;31";
inline constexpr std::string_view kYellow = "1;33";
inline constexpr std::string_view kCyan = "36";

std::string Paint(const TextStyle& style, std::string_view code, std::string_view text);

// Heading and rows, a line each; "(none)" without rows.
std::string RenderTable(const Table& table, int64_t origin_ns, const TextStyle& style);

}  // namespace gpuwhy
