// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/runtime/runtime_call.h"

#include <atomic>
#include <utility>

#include "examples/simgpu/driver/libcuda.h"

namespace gpuwhy::simgpu {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

CUresult EnsureContext() {
  static std::atomic<bool> is_ready{false};
  if (is_ready) return CUDA_SUCCESS;
  CUdevice device = 0;
  CUcontext context = nullptr;
  if (const CUresult code = cuInit(0)) return code;
  if (const CUresult code = cuDeviceGet(&device, 0)) return code;
  if (const CUresult code = cuDevicePrimaryCtxRetain(&context, device)) return code;
  is_ready = true;
  return cuCtxSetCurrent(context);
}

cudaError_t Remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t LastError() {
  return std::exchange(last_error, cudaSuccess);
}

cudaError_t PeekError() {
  return last_error;
}

}  // namespace gpuwhy::simgpu
