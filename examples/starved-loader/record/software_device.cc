// SPDX-License-Identifier: Apache-2.0
#include "examples/starved-loader/record/software_device.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "examples/starved-loader/record/clock.h"

namespace gpuwhy::starved_loader {

std::string_view NameOf(DeviceWork work) {
  switch (work) {
    case DeviceWork::kCopyIn:
      return "swdev_copy_in";
    case DeviceWork::kScaleBias:
      return "swdev_scale_bias";
    case DeviceWork::kStencil:
      return "swdev_stencil";
    case DeviceWork::kReduceSum:
      return "swdev_reduce_sum";
  }
  return "";
}

std::string_view CallOf(DeviceWork work) {
  return work == DeviceWork::kCopyIn ? "swdevCopyAsync" : "swdevLaunch";
}

SoftwareDevice::SoftwareDevice(size_t float_count)
    : memory_(float_count), scratch_(float_count), thread_([this] { Serve(); }) {}

SoftwareDevice::~SoftwareDevice() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_one();
  thread_.join();
}

void SoftwareDevice::CopyInAsync(std::span<const float> host, int64_t correlation_id) {
  Enqueue({.work = DeviceWork::kCopyIn, .correlation_id = correlation_id, .host = host});
}

void SoftwareDevice::Launch(DeviceWork work, int64_t correlation_id) {
  Enqueue({.work = work, .correlation_id = correlation_id, .host = {}});
}

void SoftwareDevice::Enqueue(const Item& item) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(item);
  }
  has_work_.notify_one();
}

void SoftwareDevice::Synchronize() {
  std::unique_lock lock(mutex_);
  is_done_.wait(lock, [this] { return queue_.empty(); });
}

void SoftwareDevice::Serve() {
  has_priority_ = setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -20) == 0;
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const Item item = queue_.front();
    lock.unlock();
    const int64_t start_ns = NowNs();
    Execute(item);
    const int64_t end_ns = NowNs();
    lock.lock();
    ops_.push_back({.start_ns = start_ns,
                    .duration_ns = end_ns - start_ns,
                    .correlation_id = item.correlation_id,
                    .work = item.work});
    queue_.pop_front();
    if (queue_.empty()) is_done_.notify_one();
  }
}

void SoftwareDevice::Execute(const Item& item) {
  switch (item.work) {
    case DeviceWork::kCopyIn:
      std::copy(item.host.begin(), item.host.end(), memory_.begin());
      return;
    case DeviceWork::kScaleBias:
      for (float& value : memory_)
        value = value * 0.75F + 0.125F;
      return;
    case DeviceWork::kStencil:
      for (size_t i = 1; i + 1 < memory_.size(); ++i) {
        scratch_[i] = 0.25F * memory_[i - 1] + 0.5F * memory_[i] + 0.25F * memory_[i + 1];
      }
      return;
    case DeviceWork::kReduceSum:
      result_ = std::accumulate(scratch_.begin(), scratch_.end(), 0.0F);
      return;
  }
}

}  // namespace gpuwhy::starved_loader
