// SPDX-License-Identifier: Apache-2.0
// Runs every detector and puts what they say in order: the worst first. Ids are the detector's name
// and a number, stable for one trace and window.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/analysis/trace_facts.h"
#include "tools/detector.h"

namespace gpuwhy {

struct NamedFinding {
  std::string id;  // gpu-starved-1
  Finding finding;
};

struct Silence {
  std::string detector;
  std::string reason;
};

struct Findings {
  std::vector<NamedFinding> found;   // by severity, then by lost time
  std::vector<Silence> not_found;    // looked, and there was nothing
  std::vector<Silence> abstentions;  // could not look
};

using DetectorProgress = std::function<void(double fraction, std::string_view name)>;

// `only`: the detector with this name; empty for all.
Result<Findings> FindAll(const TraceFacts& facts, std::string_view only = {},
                         const DetectorProgress& progress = {});

}  // namespace gpuwhy
