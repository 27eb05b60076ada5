// SPDX-License-Identifier: Apache-2.0
// The devices of a telemetry table: known by index, else by uuid or bus id in the order in which
// they appear. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "collectors/recorder.h"

namespace gpuwhy::telemetry {

// What the cells of a row say about its device; empty where they say nothing.
struct DeviceCells {
  std::string_view index;
  std::string_view uuid;
  std::string_view bus_id;
  std::string_view name;
  std::string_view compute_capability;
};

struct Device {
  int64_t gpu_id = 0;
  int64_t row_count = 0;
};

class DeviceBook {
 public:
  // More would be a file that uses something else as index; it bounds memory.
  static constexpr size_t kMaxDevices = 256;

  explicit DeviceBook(Recorder& recorder) : recorder_(recorder) {}

  // Null when there are too many devices.
  Device* Find(const DeviceCells& cells);
  void SetMemory(const Device& device, double bytes);

 private:
  Device& Add(const std::string& key, int64_t index, const DeviceCells& cells);

  Recorder& recorder_;
  std::map<std::string, Device, std::less<>> devices_;
  std::map<int64_t, int64_t> memory_bytes_;  // by device, as stored
  int64_t next_index_ = 0;
};

}  // namespace gpuwhy::telemetry
