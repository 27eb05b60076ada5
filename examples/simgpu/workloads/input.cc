// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/workloads/input.h"

#include <cstring>

#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/workloads/check.h"

namespace gpuwhy::simgpu {

Input::Input(size_t batch_bytes, bool is_pinned) : is_pinned_(is_pinned) {
  SIMGPU_CHECK(cudaMalloc(&device_memory_, batch_bytes));
  if (!is_pinned) return;
  for (Staging& staging : staging_) {
    SIMGPU_CHECK(cudaHostAlloc(&staging.memory, batch_bytes, 0));
    SIMGPU_CHECK(cudaEventCreateWithFlags(&staging.is_free, kEventDisableTiming));
  }
}

void Input::CopyIn(std::span<const char> batch, cudaStream_t stream) {
  if (!is_pinned_) {
    SIMGPU_CHECK(cudaMemcpyAsync(device_memory_, batch.data(), batch.size(), cudaMemcpyHostToDevice,
                                 stream));
    return;
  }
  const Staging& staging = staging_[next_++ % staging_.size()];
  SIMGPU_CHECK(cudaEventSynchronize(staging.is_free));
  std::memcpy(staging.memory, batch.data(), batch.size());
  SIMGPU_CHECK(cudaMemcpyAsync(device_memory_, staging.memory, batch.size(), cudaMemcpyHostToDevice,
                               stream));
  SIMGPU_CHECK(cudaEventRecord(staging.is_free, stream));
}

}  // namespace gpuwhy::simgpu
