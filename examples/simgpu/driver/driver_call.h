// SPDX-License-Identifier: Apache-2.0
// What all functions of libcuda.so.1 share: the row in the log and the check that the driver is
// initialised and has a context.
#pragma once

#include "examples/simgpu/core/context.h"
#include "examples/simgpu/core/log.h"
#include "examples/simgpu/core/streams.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

template <typename Body>
CUresult DriverCall(const char* name, const CallFacts& facts, const Body& body) {
  return Logged(name, facts, [&body] {
    const CUresult code = RequireContext();
    return code == CUDA_SUCCESS ? body() : code;
  });
}

// The same for a call that needs a stream: `body` takes it.
template <typename Body>
CUresult StreamCall(const char* name, const CallFacts& facts, CUstream handle, const Body& body) {
  CallFacts with_stream = facts;
  with_stream.stream = handle;
  return DriverCall(name, with_stream, [&] { return WithStream(handle, body); });
}

inline CUstream OrPerThread(CUstream handle) {
  return handle == nullptr ? reinterpret_cast<CUstream>(kPerThreadStreamHandle) : handle;
}

inline void* Address(CUdeviceptr pointer) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(pointer));
}

}  // namespace gpuwhy::simgpu
