// SPDX-License-Identifier: Apache-2.0
// Causal chains: from idle time or a slow call back to the thread whose turn it was, and from there
// through wake-ups and pre-emptions to the root, as far as rows lead. A chain that ends early says
// which rows would lead on. Links that merely overlap in time are labelled so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/analysis/idle_picture.h"
#include "tools/analysis/phases.h"
#include "tools/detector.h"

namespace gpuwhy {

// How a link leads to the next one, towards the symptom.
enum class Relation { kSameThread, kWokenBy, kPreemptedBy, kOverlapOnly };
std::string_view NameOf(Relation relation);

struct ChainLink {
  std::string actor;
  Interval interval;
  std::string state;    // on a core, ready without a core, blocked and why, not observed
  int64_t time_ns = 0;  // contributed to the symptom
  Relation relation = Relation::kSameThread;
  std::vector<std::string> row_ids;
};

struct Chain {
  Severity severity = Severity::kInfo;
  std::string symptom;
  Interval interval;
  int64_t lost_ns = 0;
  std::vector<ChainLink> links;  // root first
  std::string ending;            // why it goes no deeper
};

struct ChainRequest {
  int64_t limit = 0;
  int64_t gap = 0;  // number of a listed gap, from 1; 0 = all idle time
};

Result<std::vector<Chain>> BuildChains(const TraceFacts& facts, const IdlePicture& picture,
                                       ChainRequest request);

}  // namespace gpuwhy
