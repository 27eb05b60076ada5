// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12: copies and fills. The direction chooses the driver's function; one that does not
// fit the addresses fails there.
#include "examples/simgpu/core/copies.h"
#include "examples/simgpu/driver/libcuda.h"
#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/runtime/runtime_call.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

struct Transfer {
  void* to;
  const void* from;
  size_t bytes;
  cudaMemcpyKind kind;

  CallFacts Facts(cudaStream_t stream = nullptr) const {
    return {.bytes = bytes, .kind = CopyKind(to, from), .stream = stream};
  }
};

cudaError_t Run(const Transfer& asked) {
  const CUdeviceptr to = DeviceAddress(asked.to);
  const CUdeviceptr from = DeviceAddress(asked.from);
  switch (asked.kind) {
    case cudaMemcpyHostToDevice:
      return AsRuntime(cuMemcpyHtoD_v2(to, asked.from, asked.bytes));
    case cudaMemcpyDeviceToHost:
      return AsRuntime(cuMemcpyDtoH_v2(asked.to, from, asked.bytes));
    case cudaMemcpyDeviceToDevice:
      return AsRuntime(cuMemcpyDtoD_v2(to, from, asked.bytes));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return AsRuntime(cuMemcpy(to, from, asked.bytes));
  }
  return cudaErrorInvalidMemcpyDirection;
}

cudaError_t RunAsync(const Transfer& asked, cudaStream_t stream) {
  const CUdeviceptr to = DeviceAddress(asked.to);
  const CUdeviceptr from = DeviceAddress(asked.from);
  switch (asked.kind) {
    case cudaMemcpyHostToDevice:
      return AsRuntime(cuMemcpyHtoDAsync_v2(to, asked.from, asked.bytes, stream));
    case cudaMemcpyDeviceToHost:
      return AsRuntime(cuMemcpyDtoHAsync_v2(asked.to, from, asked.bytes, stream));
    case cudaMemcpyDeviceToDevice:
      return AsRuntime(cuMemcpyDtoDAsync_v2(to, from, asked.bytes, stream));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return AsRuntime(cuMemcpyAsync(to, from, asked.bytes, stream));
  }
  return cudaErrorInvalidMemcpyDirection;
}

// Pitched memory: the driver finds out by the addresses what is where.
CUDA_MEMCPY2D Pitched(const Transfer& asked, size_t to_pitch, size_t from_pitch, size_t height) {
  return {.srcDevice = DeviceAddress(asked.from),
          .srcPitch = from_pitch,
          .dstDevice = DeviceAddress(asked.to),
          .dstPitch = to_pitch,
          .WidthInBytes = height == 0 ? 0 : asked.bytes / height,
          .Height = height};
}

bool AreDevices(int to_device, int from_device) {
  return to_device == 0 && from_device == 0;
}

}  // namespace

SIMGPU_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const Transfer asked{to, from, bytes, kind};
  return RuntimeCall("cudaMemcpy", asked.Facts(), [&] { return Run(asked); });
}

SIMGPU_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  const Transfer asked{to, from, bytes, kind};
  return RuntimeCall("cudaMemcpyAsync", asked.Facts(stream),
                     [&] { return RunAsync(asked, stream); });
}

SIMGPU_API cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t bytes,
                                            cudaMemcpyKind kind, cudaStream_t stream) {
  const Transfer asked{to, from, bytes, kind};
  const cudaStream_t own = OrPerThread(stream);
  return RuntimeCall("cudaMemcpyAsync_ptsz", asked.Facts(own),
                     [&] { return RunAsync(asked, own); });
}

SIMGPU_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                    size_t width_bytes, size_t height, cudaMemcpyKind kind) {
  const Transfer asked{to, from, width_bytes * height, kind};
  return RuntimeCall("cudaMemcpy2D", asked.Facts(), [&] {
    const CUDA_MEMCPY2D pitched = Pitched(asked, to_pitch, from_pitch, height);
    return cuMemcpy2D_v2(&pitched);
  });
}

SIMGPU_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                                         size_t from_pitch, size_t width_bytes, size_t height,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  const Transfer asked{to, from, width_bytes * height, kind};
  return RuntimeCall("cudaMemcpy2DAsync", asked.Facts(stream), [&] {
    const CUDA_MEMCPY2D pitched = Pitched(asked, to_pitch, from_pitch, height);
    return cuMemcpy2DAsync_v2(&pitched, stream);
  });
}

SIMGPU_API cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                                      size_t bytes) {
  const Transfer asked{to, from, bytes, cudaMemcpyDeviceToDevice};
  return RuntimeCall("cudaMemcpyPeer", asked.Facts(), [&] {
    return AreDevices(to_device, from_device) ? Run(asked) : cudaErrorInvalidDevice;
  });
}

SIMGPU_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from,
                                           int from_device, size_t bytes, cudaStream_t stream) {
  const Transfer asked{to, from, bytes, cudaMemcpyDeviceToDevice};
  return RuntimeCall("cudaMemcpyPeerAsync", asked.Facts(stream), [&] {
    return AreDevices(to_device, from_device) ? RunAsync(asked, stream) : cudaErrorInvalidDevice;
  });
}

SIMGPU_API cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return RuntimeCall("cudaMemset", {.bytes = bytes, .kind = "memset"}, [=] {
    return cuMemsetD8_v2(DeviceAddress(memory), static_cast<unsigned char>(value), bytes);
  });
}

SIMGPU_API cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return RuntimeCall("cudaMemsetAsync", {.bytes = bytes, .kind = "memset", .stream = stream}, [=] {
    return cuMemsetD8Async(DeviceAddress(memory), static_cast<unsigned char>(value), bytes, stream);
  });
}

SIMGPU_API cudaError_t cudaMemsetAsync_ptsz(void* memory, int value, size_t bytes,
                                            cudaStream_t stream) {
  const cudaStream_t own = OrPerThread(stream);
  return RuntimeCall("cudaMemsetAsync_ptsz", {.bytes = bytes, .kind = "memset", .stream = own},
                     [=] {
                       return cuMemsetD8Async(DeviceAddress(memory),
                                              static_cast<unsigned char>(value), bytes, own);
                     });
}
