// SPDX-License-Identifier: Apache-2.0
// The revisions of the protocol that we speak. 2026-07-28 is stateless; the others begin with
// initialize.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace gpuwhy::mcp {

enum class Revision { k20241105, k20250326, k20250618, k20251125, k20260728 };

inline constexpr std::array<std::string_view, 5> kRevisionNames = {
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
inline constexpr Revision kModern = Revision::k20260728;
inline constexpr Revision kNewestLegacy = Revision::k20251125;

inline constexpr std::string_view NameOf(Revision revision) {
  return kRevisionNames[static_cast<size_t>(revision)];
}

}  // namespace gpuwhy::mcp
