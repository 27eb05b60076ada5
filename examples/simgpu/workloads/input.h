// SPDX-License-Identifier: Apache-2.0
// The way of a batch to the device: through two pinned buffers, each free again when its copy has
// ended, or straight from pageable memory. Used by one thread.
#pragma once

#include <array>
#include <span>

#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

class Input {
 public:
  Input(size_t batch_bytes, bool is_pinned);

  // The batch may change when this returns.
  void CopyIn(std::span<const char> batch, cudaStream_t stream);

 private:
  struct Staging {
    void* memory = nullptr;
    cudaEvent_t is_free = nullptr;
  };

  bool is_pinned_;
  void* device_memory_ = nullptr;
  std::array<Staging, 2> staging_;
  size_t next_ = 0;
};

}  // namespace gpuwhy::simgpu
