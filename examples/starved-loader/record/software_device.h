// SPDX-License-Identifier: Apache-2.0
// A stand-in for a GPU, which the machine of the recording did not have: one thread that really
// copies and really computes what is queued, in order, and notes when each began and ended. Its
// calls carry the name swdev so that nobody takes them for CUDA. Calls come from one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace gpuwhy::starved_loader {

enum class DeviceWork { kCopyIn, kScaleBias, kStencil, kReduceSum };

std::string_view NameOf(DeviceWork work);
std::string_view CallOf(DeviceWork work);

struct DeviceOpRecord {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t correlation_id = 0;
  DeviceWork work = DeviceWork::kCopyIn;
};

class SoftwareDevice {
 public:
  explicit SoftwareDevice(size_t float_count);
  ~SoftwareDevice();  // finishes what is queued
  SoftwareDevice(const SoftwareDevice&) = delete;
  SoftwareDevice& operator=(const SoftwareDevice&) = delete;

  // Return at once. `host` must stay as it is until Synchronize().
  void CopyInAsync(std::span<const float> host, int64_t correlation_id);
  void Launch(DeviceWork work, int64_t correlation_id);
  void Synchronize();

  // A device does not queue for host cores: its thread asks for a higher priority, which needs
  // root.
  bool has_priority() const { return has_priority_; }
  std::span<const DeviceOpRecord> ops() const { return ops_; }  // after Synchronize()
  float result() const { return result_; }

 private:
  struct Item {
    DeviceWork work;
    int64_t correlation_id;
    std::span<const float> host;
  };
  void Enqueue(const Item& item);
  void Serve();
  void Execute(const Item& item);

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_done_;
  std::deque<Item> queue_;  // the front is being executed
  bool is_ending_ = false;
  bool has_priority_ = false;
  std::vector<DeviceOpRecord> ops_;
  std::vector<float> memory_;
  std::vector<float> scratch_;
  float result_ = 0;
  std::thread thread_;
};

}  // namespace gpuwhy::starved_loader
