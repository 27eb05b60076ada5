// SPDX-License-Identifier: Apache-2.0
// Runs one detector on a whole trace, as get_findings would, and checks that its evidence query
// gives its main number.
#pragma once

#include <string_view>
#include <vector>

#include "schema/trace_db.h"
#include "tools/detector.h"

namespace gpuwhy {

Detection Detect(const TraceDb& db, std::string_view detector);
// Empty when the detector is silent.
std::vector<Finding> FindingsOf(const TraceDb& db, std::string_view detector);
// Empty when it found something.
NoFinding SilenceOf(const TraceDb& db, std::string_view detector);
// True when a cell of the evidence query equals the first fact.
bool EvidenceHolds(const TraceDb& db, const Finding& finding);

}  // namespace gpuwhy
