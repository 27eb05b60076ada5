// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: allocation and pinning.
#include "examples/simgpu/core/graphs.h"
#include "examples/simgpu/core/memory.h"
#include "examples/simgpu/driver/driver_call.h"
#include "examples/simgpu/driver/libcuda.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

// A device address is an address of this process.
static_assert(sizeof(CUdeviceptr) == sizeof(void*));
void** AsPointer(CUdeviceptr* pointer) {
  return reinterpret_cast<void**>(pointer);
}

CUresult Allocate(MemoryKind kind, CUdeviceptr* pointer, size_t bytes) {
  if (const CUresult code = RefuseInCapture()) return code;
  return AllocateDevice(kind, bytes, AsPointer(pointer));
}

}  // namespace

SIMGPU_API CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  return DriverCall("cuMemAlloc_v2", {.bytes = bytes},
                    [=] { return Allocate(MemoryKind::kDevice, pointer, bytes); });
}

SIMGPU_API CUresult cuMemAllocManaged(CUdeviceptr* pointer, size_t bytes, unsigned) {
  return DriverCall("cuMemAllocManaged", {.bytes = bytes},
                    [=] { return Allocate(MemoryKind::kManaged, pointer, bytes); });
}

SIMGPU_API CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return DriverCall("cuMemFree_v2", {}, [=] {
    if (const CUresult code = RefuseInCapture()) return code;
    return FreeDevice(Address(pointer));
  });
}

SIMGPU_API CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  return StreamCall("cuMemAllocAsync", {.bytes = bytes}, stream, [=](Stream& on) {
    if (const CUresult code = RefuseOnCaptured(on)) return code;
    return AllocateFromPool(bytes, AsPointer(pointer));
  });
}

SIMGPU_API CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return StreamCall("cuMemFreeAsync", {}, stream, [=](Stream& on) {
    if (const CUresult code = RefuseOnCaptured(on)) return code;
    return FreeToPool(on, Address(pointer));
  });
}

SIMGPU_API CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  return DriverCall("cuMemHostAlloc", {.bytes = bytes},
                    [=] { return AllocatePinned(bytes, pointer); });
}

SIMGPU_API CUresult cuMemFreeHost(void* pointer) {
  return DriverCall("cuMemFreeHost", {}, [=] { return FreePinned(pointer); });
}

SIMGPU_API CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned) {
  return DriverCall("cuMemHostRegister_v2", {.bytes = bytes},
                    [=] { return Register(pointer, bytes); });
}

SIMGPU_API CUresult cuMemHostUnregister(void* pointer) {
  return DriverCall("cuMemHostUnregister", {}, [=] { return Unregister(pointer); });
}
