// SPDX-License-Identifier: Apache-2.0
// Kernels: a name, and a duration that is the first argument of each launch. The image of a module
// or library is a text of kernel names, one a line. Any thread.
#pragma once

#include "examples/simgpu/core/device.h"
#include "examples/simgpu/core/visibility.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

// The module or library of an image; loading costs SIMGPU_FIRST_LAUNCH_NS.
SIMGPU_SHARED CUresult LoadImage(const void* image, const void** module);
SIMGPU_SHARED CUresult UnloadImage(const void* module);
SIMGPU_SHARED CUresult FindKernel(const void* module, const char* name, const void** kernel);

struct Launch {
  const void* kernel = nullptr;
  dim3 grid;
  dim3 block;
  void** arguments = nullptr;  // [0] points to a uint64_t: nanoseconds
};
SIMGPU_SHARED CUresult LaunchKernel(const Launch& launch, Stream& stream);

// What CUDA accepts: no dimension is zero, at most 1024 threads a block.
SIMGPU_SHARED bool IsSaneShape(dim3 grid, dim3 block);

}  // namespace gpuwhy::simgpu
