// SPDX-License-Identifier: Apache-2.0
// Shorthand for the bodies of SimProcess.
#pragma once

#include "examples/simgpu/runtime/libcudart.h"

namespace gpuwhy {

inline constexpr uint64_t kSimMs = 1'000'000;
// Nobody waits for it: what is seen while it runs does not depend on the speed of the machine.
inline constexpr uint64_t kNearlyForever = 3'600'000 * kSimMs;

// Its address stands for a kernel of that name.
inline const void* Kernel(const char* name) {
  simgpuRegisterKernel(name, name);
  return name;
}

inline cudaError_t LaunchOn(cudaStream_t stream, const char* name, uint64_t duration_ns) {
  void* arguments[] = {&duration_ns};
  return cudaLaunchKernel(Kernel(name), {}, {}, arguments, 0, stream);
}

inline cudaStream_t MakeStream(unsigned flags = kStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, flags);
  return stream;
}

inline cudaEvent_t MakeEvent() {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  return event;
}

inline void* DeviceMemory(size_t bytes) {
  void* memory = nullptr;
  cudaMalloc(&memory, bytes);
  return memory;
}

inline void* PinnedMemory(size_t bytes) {
  void* memory = nullptr;
  cudaMallocHost(&memory, bytes);
  return memory;
}

}  // namespace gpuwhy
