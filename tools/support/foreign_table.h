// SPDX-License-Identifier: Apache-2.0
// Conclusions of other tools beside our verdicts, as the table that several tools show.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/analysis/foreign_verdicts.h"
#include "tools/answer.h"

namespace gpuwhy {

// A reason that several share is written once.
Table ForeignTable(const std::vector<ForeignVerdict>& verdicts, size_t limit);

}  // namespace gpuwhy
