// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12: allocation and pinning.
#include "examples/simgpu/driver/libcuda.h"
#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/runtime/runtime_call.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

CUdeviceptr* AsDevice(void** pointer) {
  return reinterpret_cast<CUdeviceptr*>(pointer);
}

// Freeing nothing is allowed, and a known way to make the context.
CUresult Free(void* pointer) {
  return pointer == nullptr ? CUDA_SUCCESS : cuMemFree_v2(DeviceAddress(pointer));
}

}  // namespace

SIMGPU_API cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return RuntimeCall("cudaMalloc", {.bytes = bytes},
                     [=] { return cuMemAlloc_v2(AsDevice(pointer), bytes); });
}

SIMGPU_API cudaError_t cudaFree(void* pointer) {
  return RuntimeCall("cudaFree", {}, [=] { return Free(pointer); });
}

SIMGPU_API cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return RuntimeCall("cudaMallocManaged", {.bytes = bytes},
                     [=] { return cuMemAllocManaged(AsDevice(pointer), bytes, flags); });
}

SIMGPU_API cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return RuntimeCall("cudaMallocAsync", {.bytes = bytes, .stream = stream},
                     [=] { return cuMemAllocAsync(AsDevice(pointer), bytes, stream); });
}

SIMGPU_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return RuntimeCall("cudaFreeAsync", {.stream = stream},
                     [=] { return cuMemFreeAsync(DeviceAddress(pointer), stream); });
}

SIMGPU_API cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return RuntimeCall("cudaMallocHost", {.bytes = bytes},
                     [=] { return cuMemHostAlloc(pointer, bytes, 0); });
}

SIMGPU_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return RuntimeCall("cudaHostAlloc", {.bytes = bytes},
                     [=] { return cuMemHostAlloc(pointer, bytes, flags); });
}

SIMGPU_API cudaError_t cudaFreeHost(void* pointer) {
  return RuntimeCall("cudaFreeHost", {},
                     [=] { return pointer == nullptr ? CUDA_SUCCESS : cuMemFreeHost(pointer); });
}

SIMGPU_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return RuntimeCall("cudaHostRegister", {.bytes = bytes},
                     [=] { return cuMemHostRegister_v2(pointer, bytes, flags); });
}

SIMGPU_API cudaError_t cudaHostUnregister(void* pointer) {
  return RuntimeCall("cudaHostUnregister", {}, [=] { return cuMemHostUnregister(pointer); });
}
