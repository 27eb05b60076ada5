// SPDX-License-Identifier: Apache-2.0
// The objects behind CUDA's opaque handles, so that a handle that is stale or never was one is an
// error and not a crash. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

namespace gpuwhy::simgpu {

template <typename Object>
class Handles {
 public:
  // The handle is the object's address.
  void Add(const std::shared_ptr<Object>& object) { AddAs(object.get(), object); }

  void AddAs(const void* handle, const std::shared_ptr<Object>& object) {
    const std::lock_guard lock(mutex_);
    objects_[handle] = object;
  }

  // Null when there is none.
  std::shared_ptr<Object> Find(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  // Null when there was none.
  std::shared_ptr<Object> Remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    auto node = objects_.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<Object>> objects_;
};

}  // namespace gpuwhy::simgpu
