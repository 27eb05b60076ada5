// SPDX-License-Identifier: Apache-2.0
// The idle time that detectors may speak of, with the reason when they may not: on a device every
// gap, at the CUDA API only long ones, because between two calls the device may be at work. Made
// from TraceFacts, once; any detector may ask.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/analysis/trace_facts.h"
#include "tools/detector.h"

namespace gpuwhy {

// Gaps worth listing; at the API, shorter ones are not counted as idle either.
inline constexpr int64_t kListedDeviceGapNs = 1'000'000;
inline constexpr int64_t kIdleApiGapNs = 100'000'000;

struct IdlePicture {
  View view = View::kNone;
  std::string refusal;        // why idle time cannot be accounted for; empty when it can
  bool is_abstention = true;  // of a refusal: false when the trace is clear and merely too small
  int64_t device_count = 0;
  int64_t operation_count = 0;  // device operations or API calls
  Interval span;                // of the timeline with most idle time, which gaps and idle are of
  std::vector<Gap> gaps;        // listed ones, ascending
  Intervals idle;               // counted ones
  int64_t span_ns = 0;          // sums over all timelines
  int64_t idle_ns = 0;
  int64_t busy_ns = 0;
  int64_t start_up_ns = 0;    // part of idle_ns during slow first calls
  int64_t collective_ns = 0;  // part of busy_ns in collective kernels, before overlap is removed
  int64_t gpu_id = 0;
  int64_t feeder_thread_id = 0;  // 0 when unknown
  int64_t feeder_process_id = 0;
  // Of the API view: calls that were counted and not stored as rows could lie in the gaps.
  int64_t stored_call_count = 0;
  int64_t counted_call_count = 0;
  int64_t unstored_call_ns = 0;

  // R3: the share of time that was idle, slow first calls left out of both.
  double SteadyIdleRatio() const;
  bool IsUsable() const { return refusal.empty(); }
  // What a detector of idle time has to say when it is not usable.
  NoFinding Silence() const { return {.is_abstention = is_abstention, .reason = refusal}; }
  // What one device lost on average.
  int64_t lost_ns() const { return device_count == 0 ? 0 : idle_ns / device_count; }
  int64_t wall_ns() const { return device_count == 0 ? 0 : span_ns / device_count; }
};

Result<const IdlePicture*> LookAtIdle(const TraceFacts& facts);

}  // namespace gpuwhy
