// SPDX-License-Identifier: Apache-2.0
// Tools for tests of the server, which takes its tools as a value: one that echoes, one that runs
// until it is stopped, one for each kind of failure, one that reads the trace.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tools/detector.h"
#include "tools/tool.h"

namespace gpuwhy {

// echo_text {text}, wait_stopped {}, fail_call {kind}, write_lines {limit, count},
// report_progress {}, get_trace_overview {}, get_findings {limit}.
const std::vector<Tool>& FakeTools();
const std::vector<Detector>& FakeDetectors();

// How many calls of wait_stopped run now, and how many have seen their stop.
extern std::atomic<int> waiting_call_count;
extern std::atomic<int> stopped_call_count;

}  // namespace gpuwhy
