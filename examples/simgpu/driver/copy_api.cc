// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: copies and fills. A function with a direction in its name refuses other addresses.
#include "examples/simgpu/core/copies.h"
#include "examples/simgpu/core/graphs.h"
#include "examples/simgpu/driver/driver_call.h"
#include "examples/simgpu/driver/libcuda.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

Copy Flat(void* to, const void* from, size_t bytes) {
  return {.to = to,
          .from = from,
          .width_bytes = bytes,
          .to_pitch_bytes = bytes,
          .from_pitch_bytes = bytes};
}

CallFacts FactsOf(const Copy& copy) {
  return {.bytes = copy.bytes(), .kind = CopyKind(copy.to, copy.from)};
}

CUresult CallCopy(const char* name, const Copy& copy, cudaMemcpyKind direction) {
  return DriverCall(name, FactsOf(copy), [&] {
    return FitsDirection(copy, direction) ? CopyAndWait(copy) : CUDA_ERROR_INVALID_VALUE;
  });
}

struct AsyncCopy {
  Copy copy;
  cudaMemcpyKind direction = cudaMemcpyDefault;
  CUstream stream = nullptr;
};

CUresult CallCopyAsync(const char* name, const AsyncCopy& call) {
  return StreamCall(name, FactsOf(call.copy), call.stream, [&call](Stream& on) {
    if (!FitsDirection(call.copy, call.direction)) return CUDA_ERROR_INVALID_VALUE;
    return CopyAsync(call.copy, on);
  });
}

}  // namespace

SIMGPU_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return CallCopy("cuMemcpy", Flat(Address(to), Address(from), bytes), cudaMemcpyDefault);
}

SIMGPU_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return CallCopy("cuMemcpyHtoD_v2", Flat(Address(to), from, bytes), cudaMemcpyHostToDevice);
}

SIMGPU_API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return CallCopy("cuMemcpyDtoH_v2", Flat(to, Address(from), bytes), cudaMemcpyDeviceToHost);
}

SIMGPU_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return CallCopy("cuMemcpyDtoD_v2", Flat(Address(to), Address(from), bytes),
                  cudaMemcpyDeviceToDevice);
}

SIMGPU_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return CallCopyAsync("cuMemcpyAsync",
                       {.copy = Flat(Address(to), Address(from), bytes), .stream = stream});
}

SIMGPU_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes,
                                         CUstream stream) {
  return CallCopyAsync("cuMemcpyHtoDAsync_v2", {.copy = Flat(Address(to), from, bytes),
                                                .direction = cudaMemcpyHostToDevice,
                                                .stream = stream});
}

SIMGPU_API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes,
                                         CUstream stream) {
  return CallCopyAsync("cuMemcpyDtoHAsync_v2", {.copy = Flat(to, Address(from), bytes),
                                                .direction = cudaMemcpyDeviceToHost,
                                                .stream = stream});
}

SIMGPU_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                         CUstream stream) {
  return CallCopyAsync("cuMemcpyDtoDAsync_v2", {.copy = Flat(Address(to), Address(from), bytes),
                                                .direction = cudaMemcpyDeviceToDevice,
                                                .stream = stream});
}

namespace {

Copy Pitched(const CUDA_MEMCPY2D& asked) {
  const bool from_host = asked.srcMemoryType == kHostMemoryType;
  const bool to_host = asked.dstMemoryType == kHostMemoryType;
  const auto* from = static_cast<const char*>(from_host ? asked.srcHost : Address(asked.srcDevice));
  auto* to = static_cast<char*>(to_host ? asked.dstHost : Address(asked.dstDevice));
  return {.to = to + asked.dstY * asked.dstPitch + asked.dstXInBytes,
          .from = from + asked.srcY * asked.srcPitch + asked.srcXInBytes,
          .width_bytes = asked.WidthInBytes,
          .height = asked.Height,
          .to_pitch_bytes = asked.dstPitch,
          .from_pitch_bytes = asked.srcPitch};
}

}  // namespace

SIMGPU_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* asked) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return CallCopy("cuMemcpy2D_v2", Pitched(*asked), cudaMemcpyDefault);
}

SIMGPU_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* asked, CUstream stream) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return CallCopyAsync("cuMemcpy2DAsync_v2", {.copy = Pitched(*asked), .stream = stream});
}

SIMGPU_API CUresult cuMemsetD8_v2(CUdeviceptr memory, unsigned char value, size_t count) {
  return DriverCall("cuMemsetD8_v2", {.bytes = count, .kind = "memset"},
                    [=] { return FillAndWait(Address(memory), value, count); });
}

SIMGPU_API CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t count,
                                    CUstream stream) {
  return StreamCall("cuMemsetD8Async", {.bytes = count, .kind = "memset"}, stream,
                    [=](Stream& on) { return FillAsync(Address(memory), value, count, on); });
}
