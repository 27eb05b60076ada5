// SPDX-License-Identifier: Apache-2.0
// The lines of the live table, as top has them: what is going on, then calls, waits, host events
// and who waits on whom. Names are cleaned here. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/commands/live_view.h"

namespace gpuwhy {

struct TableSize {
  size_t width = 80;
  size_t height = 24;
  bool has_color = false;
};

// At most `height` lines, none wider than `width` columns.
std::vector<std::string> LiveTable(const LiveState& state, const TableSize& size);

// The second in one line without escape codes.
std::string LiveLine(const LiveState& state);

// "5,123/s", "12:05"
std::string FormatElapsed(double seconds);

}  // namespace gpuwhy
