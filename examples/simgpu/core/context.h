// SPDX-License-Identifier: Apache-2.0
// Whether the driver is initialised and the process has a context. There is one context, current
// in every thread. A child that was forked after that can use nothing, as with CUDA. Any thread.
#pragma once

#include "examples/simgpu/core/visibility.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

SIMGPU_SHARED CUresult InitDriver();
SIMGPU_SHARED CUresult RequireDriver();
// The first one costs SIMGPU_CONTEXT_NS.
SIMGPU_SHARED CUresult MakeContext(CUcontext* context);
SIMGPU_SHARED CUresult RequireContext();

}  // namespace gpuwhy::simgpu
