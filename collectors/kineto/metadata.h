// SPDX-License-Identifier: Apache-2.0
// What a Kineto file says around its event list. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/recorder.h"

namespace gpuwhy::kineto {

struct TraceMetadata {
  bool is_readable = true;
  int64_t base_time_ns = 0;
  std::optional<int64_t> rank;
  std::optional<int64_t> world_size;
  struct Device {
    int64_t index = 0;
    GpuFacts facts;
  };
  std::vector<Device> devices;
  // Members of capture.facts: versions, display unit, job names, device count and names.
  std::string facts_json = "{}";
};

// `text` is the file without its events.
TraceMetadata ParseMetadata(const std::string& text);

// The number behind "rank" in a file name: rank-0.Apr_03.json, mtia_rank_0.json.gz, rank0.json.
std::optional<int64_t> RankOfFileName(std::string_view path);

}  // namespace gpuwhy::kineto
