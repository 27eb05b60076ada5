// SPDX-License-Identifier: Apache-2.0
// Copies and fills, with the waiting that CUDA documents under "API synchronization behavior":
// pageable memory goes through a staging buffer, on the caller's CPU; pinned memory goes by
// itself. Any thread.
#pragma once

#include <cstddef>

#include "examples/simgpu/core/device.h"
#include "examples/simgpu/core/visibility.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  size_t width_bytes = 0;
  size_t height = 1;
  size_t to_pitch_bytes = 0;
  size_t from_pitch_bytes = 0;

  size_t bytes() const { return width_bytes * height; }
};

// From the addresses: "h2d_pageable", "h2d_pinned", "d2h_pageable", "d2h_pinned", "d2d" or "h2h".
SIMGPU_SHARED const char* CopyKind(const void* to, const void* from);
// Whether a direction that was given fits the addresses.
SIMGPU_SHARED bool FitsDirection(const Copy& copy, cudaMemcpyKind direction);

SIMGPU_SHARED CUresult CopyAndWait(const Copy& copy);  // in the legacy default stream
SIMGPU_SHARED CUresult CopyAsync(const Copy& copy, Stream& stream);

SIMGPU_SHARED CUresult FillAsync(void* memory, int value, size_t bytes, Stream& stream);
SIMGPU_SHARED CUresult FillAndWait(void* memory, int value, size_t bytes);

}  // namespace gpuwhy::simgpu
