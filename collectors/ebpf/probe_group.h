// SPDX-License-Identifier: Apache-2.0
// How useful a probed function is for the question why a GPU waits: the probes of a group come off
// together when recording costs too much, never those of the first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuwhy {

enum class ProbeGroup : uint8_t {
  kEssential,  // launches, copies, waits, memory, graphs, modules, collectives
  kQueries,    // asks and marks, often called in a loop: event and stream queries, event records
  kObjects,    // makes and destroys streams and events
  kFills,      // memset, prefetch, advice
  kOwn,        // of the recorder itself, to measure what a probe costs
};
inline constexpr size_t kProbeGroupCount = 5;

}  // namespace gpuwhy
