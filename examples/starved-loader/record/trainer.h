// SPDX-License-Identifier: Apache-2.0
// The training loop: waits for the next batch in order, gives it to the device, waits for the
// device, as a loop that reads its loss every step. Notes each call, range and wait.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "examples/starved-loader/record/logs.h"
#include "examples/starved-loader/record/software_device.h"
#include "examples/starved-loader/record/worker.h"

namespace gpuwhy::starved_loader {

struct CallRecord {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::string_view name;
  int64_t correlation_id = 0;  // 0 = none
  int64_t bytes = 0;           // 0 = not a copy
};

struct StepRecord {
  SpanRecord step;
  SpanRecord wait_for_batch;
};

struct CpuLoadRecord {
  int64_t time_ns = 0;
  double busy_pct = 0;
};

struct TrainerLog {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  bool is_run_queue_known = false;
  std::vector<StepRecord> steps;
  std::vector<CallRecord> calls;
  std::vector<WaitRecord> waits;
  std::vector<CpuLoadRecord> cpu_load;  // of the whole machine, once a second, from /proc/stat
};

Result<TrainerLog> Train(std::span<Worker> workers, SoftwareDevice& device, int64_t duration_ns);

}  // namespace gpuwhy::starved_loader
