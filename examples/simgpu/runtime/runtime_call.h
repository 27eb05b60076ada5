// SPDX-License-Identifier: Apache-2.0
// What all functions of libcudart.so.12 share: the row in the log, the context that comes into
// being with the first call, the last error of the thread. The work is done by libcuda.so.1.
#pragma once

#include "examples/simgpu/core/log.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

CUresult EnsureContext();
cudaError_t Remember(cudaError_t error);
cudaError_t LastError();  // and forgets it
cudaError_t PeekError();

inline cudaError_t AsRuntime(CUresult code) {
  return static_cast<cudaError_t>(code);
}
inline cudaError_t AsRuntime(cudaError_t code) {
  return code;
}

template <typename Body>
cudaError_t RuntimeCall(const char* name, const CallFacts& facts, const Body& body) {
  return Logged(name, facts, [&body] {
    const CUresult code = EnsureContext();
    return Remember(code == CUDA_SUCCESS ? AsRuntime(body()) : AsRuntime(code));
  });
}

inline CUdeviceptr DeviceAddress(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

inline cudaStream_t OrPerThread(cudaStream_t handle) {
  return handle == nullptr ? reinterpret_cast<cudaStream_t>(kPerThreadStreamHandle) : handle;
}

}  // namespace gpuwhy::simgpu
