// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12: the device, errors, and our own two functions.
#include "examples/simgpu/driver/libcuda.h"
#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/runtime/registered_kernels.h"
#include "examples/simgpu/runtime/runtime_call.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

SIMGPU_API void simgpuRegisterKernel(const void* host_function, const char* name) {
  RegisterKernel(host_function, name);
}

SIMGPU_API void simgpuFlushLog() {
  Log::Get().Flush();
}

SIMGPU_API cudaError_t cudaSetDevice(int device) {
  return RuntimeCall("cudaSetDevice", {},
                     [device] { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

SIMGPU_API cudaError_t cudaGetDevice(int* device) {
  return RuntimeCall("cudaGetDevice", {}, [device] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

SIMGPU_API cudaError_t cudaGetDeviceCount(int* count) {
  return RuntimeCall("cudaGetDeviceCount", {}, [count] { return cuDeviceGetCount(count); });
}

SIMGPU_API cudaError_t cudaDeviceSynchronize() {
  return RuntimeCall("cudaDeviceSynchronize", {}, [] { return cuCtxSynchronize(); });
}

// These two neither make a context nor change the error by failing.
SIMGPU_API cudaError_t cudaGetLastError() {
  return Logged("cudaGetLastError", {}, [] { return LastError(); });
}

SIMGPU_API cudaError_t cudaPeekAtLastError() {
  return Logged("cudaPeekAtLastError", {}, [] { return PeekError(); });
}
