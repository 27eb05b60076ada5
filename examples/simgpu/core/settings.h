// SPDX-License-Identifier: Apache-2.0
// What calls and copies cost, from SIMGPU_* variables of the environment (README.md has the table).
// Read once, at the first use in the process.
#pragma once

#include <cstdint>
#include <string>

#include "examples/simgpu/core/visibility.h"

namespace gpuwhy::simgpu {

struct Settings {
  int64_t launch_ns = 4'000;
  int64_t malloc_ns = 200'000;
  int64_t free_ns = 300'000;
  int64_t pool_ns = 2'000;
  int64_t context_ns = 50'000'000;
  int64_t first_launch_ns = 5'000'000;
  int64_t graph_node_ns = 20'000;
  int64_t h2d_bytes_per_s = 25'000'000'000;
  int64_t d2h_bytes_per_s = 25'000'000'000;
  int64_t pageable_bytes_per_s = 6'000'000'000;
  int64_t pin_bytes_per_s = 5'000'000'000;
  int64_t device_bytes_per_s = 1'000'000'000'000;
  int64_t link_bytes_per_s = 50'000'000'000;
  int64_t memory_bytes = 16'000'000'000;
  int64_t queue_depth = 1'024;
  std::string log_prefix;   // empty: no log
  std::string driver_lock;  // empty: none
};

SIMGPU_SHARED const Settings& GetSettings();

}  // namespace gpuwhy::simgpu
