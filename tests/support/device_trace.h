// SPDX-License-Identifier: Apache-2.0
// Device operations for built traces; times are nanoseconds after kTraceStart.
#pragma once

#include <optional>
#include <string_view>

#include "tests/support/built_trace.h"

namespace gpuwhy {

struct OpSpec {
  std::string_view name;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = -1;  // -1: none
  int64_t device_index = 0;
  std::string_view kind = "kernel";
};

inline int64_t AddOp(TraceBuilder& trace, int64_t pid, const OpSpec& spec) {
  Recorder& recorder = trace.recorder();
  GpuOpRow row{.start_ns = kTraceStart + spec.start_ns, .duration_ns = spec.duration_ns};
  row.gpu_id = recorder.GpuOf(spec.device_index);
  row.process_id = recorder.ProcessOf(pid);
  row.stream = 7;
  row.kind = spec.kind;
  row.name_id = recorder.InternName(spec.name);
  if (spec.correlation_id >= 0) row.correlation_id = spec.correlation_id;
  return recorder.Add(row);
}

struct LaunchSpec {
  int64_t thread = 0;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
  std::string_view name = "cudaLaunchKernel";
};

inline int64_t AddLaunch(TraceBuilder& trace, const LaunchSpec& spec) {
  Recorder& recorder = trace.recorder();
  ApiCallRow row{.start_ns = kTraceStart + spec.start_ns, .duration_ns = spec.duration_ns};
  row.thread_id = spec.thread;
  row.name_id = recorder.InternName(spec.name);
  row.correlation_id = spec.correlation_id;
  return recorder.Add(row);
}

inline void AddOffCpu(TraceBuilder& trace, int64_t thread, int64_t start_ns, int64_t duration_ns,
                      std::string_view reason, std::optional<int64_t> runnable_ns = {}) {
  OffCpuRow row{.start_ns = kTraceStart + start_ns, .duration_ns = duration_ns};
  row.thread_id = thread;
  row.runnable_ns = runnable_ns;
  row.reason = reason;
  trace.recorder().Add(row);
}

}  // namespace gpuwhy
