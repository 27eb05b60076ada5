// SPDX-License-Identifier: Apache-2.0
// Lengths of time as people write them. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpuwhy {

// "500ms", "60s", "5m", "1h" in nanoseconds, with a sign when it has one; nothing for other texts.
// Units: ns us ms s m h.
std::optional<int64_t> ParseTimeSpan(const std::string& text);

}  // namespace gpuwhy
