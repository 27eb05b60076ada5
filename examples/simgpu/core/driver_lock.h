// SPDX-License-Identifier: Apache-2.0
// The lock in the kernel driver that all processes share: allocations, frees and pinning of memory
// hold it. A robust mutex in shared memory of the name SIMGPU_DRIVER_LOCK; without that, nothing.
#pragma once

#include <pthread.h>

#include "examples/simgpu/core/visibility.h"

namespace gpuwhy::simgpu {

// Holds the lock for its own lifetime.
class SIMGPU_SHARED DriverLock {
 public:
  DriverLock();
  ~DriverLock();
  DriverLock(const DriverLock&) = delete;
  DriverLock& operator=(const DriverLock&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace gpuwhy::simgpu
