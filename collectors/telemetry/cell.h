// SPDX-License-Identifier: Apache-2.0
// What one cell of a telemetry table says: a number with or without a unit, nothing ("[N/A]"), or
// words. Pure functions.
#pragma once

#include <string_view>

#include "collectors/telemetry/known_columns.h"

namespace gpuwhy::telemetry {

enum class CellKind { kNumber, kMissing, kText };

struct Cell {
  CellKind kind = CellKind::kText;
  double number = 0;
  std::string_view unit;  // as written; empty when there is none
};

// "35 %", "70.12 W", "1410", "Not Active" (0), "[Not Supported]", "P8" where the style says so.
// Numbers are finite.
Cell ReadCell(std::string_view text, NumberStyle style = NumberStyle::kPlain);

// "[0, 12, N/A]": brackets with at least one comma or number inside.
bool IsList(std::string_view text);
// The next element of the inside of a list, taken off the front.
std::string_view TakeElement(std::string_view& inside);

}  // namespace gpuwhy::telemetry
