// SPDX-License-Identifier: Apache-2.0
// Text laid out in terminal columns: widths, cutting, wrapping, bars. Works on cleaned text
// (CleanText), which has no control or zero-width characters. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwhy {

// Columns that the text takes: 2 for East Asian wide characters and emoji, 0 for combining marks.
size_t DisplayWidth(std::string_view text);

// The text itself, or its begin and "…" in at most `width` columns.
std::string CutToWidth(std::string_view text, size_t width);

// Lines of at most `width` columns, broken at spaces; a longer word has a line of its own. 0 = one
// line.
std::vector<std::string> WrapWords(std::string_view text, size_t width);

// Ten cells, for a share of 0 to 100 %.
std::string ShareBar(double share_pct);

}  // namespace gpuwhy
