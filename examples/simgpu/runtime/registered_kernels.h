// SPDX-License-Identifier: Apache-2.0
// The kernels of the program by the address of their host function. Each is loaded at its first
// launch, as CUDA 12 does. Any thread.
#pragma once

#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

void RegisterKernel(const void* host_function, const char* name);

// A kernel of a library that the program loaded stands for its own function.
void RegisterLoaded(CUkernel kernel);

// What the driver launches for it.
cudaError_t FunctionOf(const void* host_function, CUfunction* function);

}  // namespace gpuwhy::simgpu
