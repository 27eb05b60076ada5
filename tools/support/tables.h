// SPDX-License-Identifier: Apache-2.0
// What answers with tables share. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "tools/answer.h"

namespace gpuwhy {

// Removes the columns in which every cell is absent, 0 or empty text.
void DropEmptyColumns(Table& table);

// Keeps the first `limit` rows and says how many there are and how to get them.
void KeepRows(Table& table, int64_t limit, std::string more);

}  // namespace gpuwhy
