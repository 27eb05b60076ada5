// SPDX-License-Identifier: Apache-2.0
// Turns trace events into rows. GPU work becomes gpu_op, library calls api_call, everything else
// that lasts a range; what is not stored is counted. One capture, one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "collectors/kineto/actors.h"
#include "collectors/kineto/open_spans.h"
#include "collectors/kineto/trace_event.h"
#include "collectors/recorder.h"

namespace gpuwhy::kineto {

class RowWriter {
 public:
  RowWriter(Recorder& recorder, int64_t base_time_ns)
      : recorder_(recorder), base_time_ns_(base_time_ns), actors_(recorder) {}

  void Add(const TraceEvent& event);
  // For arrows that the reader has left out.
  void CountFlows(int64_t count);
  // Writes names and facts that are known only at the end.
  void Finish(const TraceMetadata& metadata, std::optional<int64_t> rank);

  bool HasStepAnnotations() const { return has_step_annotations_; }
  int64_t EventCount() const { return event_count_ + flow_count_; }
  // Events per phase, all arrows together, as a JSON object.
  std::string PhaseCountsJson() const;

 private:
  struct RuntimeCall {
    int64_t end_ns = INT64_MIN;
    int64_t start_ns = INT64_MAX;
    int64_t row_id = 0;
  };

  void AddTimed(const TraceEvent& event);
  void AddComplete(const TraceEvent& event);
  void AddGpuOp(const TraceEvent& event, int64_t start_ns);
  void AddApiCall(const TraceEvent& event, int64_t start_ns);
  void AddRange(const TraceEvent& event, int64_t start_ns);
  void AddInstant(const TraceEvent& event);
  void AddMemory(const TraceEvent& event, int64_t time_ns);
  void AddCounters(const TraceEvent& event);
  void Begin(const TraceEvent& event);
  void End(const TraceEvent& event);
  void BeginAsync(const TraceEvent& event);
  void EndAsync(const TraceEvent& event);
  void AddSpan(const TraceEvent& event, const ClosedSpan& closed, int64_t thread_id);
  int64_t ThreadOf(const TraceEvent& event);
  bool IsWithoutTime(const TraceEvent& event);
  int64_t StartOf(const TraceEvent& event) const { return base_time_ns_ + *event.ts_ns; }
  int64_t DurationOf(const TraceEvent& event);

  Recorder& recorder_;
  int64_t base_time_ns_;
  Actors actors_;
  OpenSpans open_spans_;
  std::map<int64_t, RuntimeCall> last_runtime_call_;  // by thread
  std::map<int64_t, int64_t> memory_balance_bytes_;   // by device, for writers without totals
  std::array<int64_t, 128> phase_counts_{};
  int64_t event_count_ = 0;
  int64_t flow_count_ = 0;
  int64_t largest_ts_ns_ = 0;
  bool has_step_annotations_ = false;
};

}  // namespace gpuwhy::kineto
