// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: the driver itself, its one device and its one context.
#include <dlfcn.h>

#include <string>

#include "examples/simgpu/driver/driver_call.h"
#include "examples/simgpu/driver/libcuda.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

constexpr uint64_t kPerThreadFlag = 2;  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

template <typename Body>
CUresult CallWithDriver(const char* name, const Body& body) {
  return Logged(name, {}, [&body] {
    const CUresult code = RequireDriver();
    return code == CUDA_SUCCESS ? body() : code;
  });
}

// The newest form of a function carries a suffix, which those who ask leave out.
void* FindSymbol(const std::string& name, bool is_per_thread) {
  static void* const self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  for (const char* version : {"_v2", ""}) {
    for (const char* variant : {is_per_thread ? "_ptsz" : "", ""}) {
      if (void* found = dlsym(self, (name + version + variant).c_str())) return found;
    }
  }
  return nullptr;
}

CUresult GetProcAddress(const char* symbol, void** function, uint64_t flags) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = FindSymbol(symbol, (flags & kPerThreadFlag) != 0);
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

CUresult CheckDevice(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult GiveContext(CUcontext* context, CUdevice device) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = CheckDevice(device);
  return code == CUDA_SUCCESS ? MakeContext(context) : code;
}

}  // namespace

SIMGPU_API CUresult cuInit(unsigned flags) {
  return Logged("cuInit", {},
                [flags] { return flags == 0 ? InitDriver() : CUDA_ERROR_INVALID_VALUE; });
}

SIMGPU_API CUresult cuDriverGetVersion(int* version) {
  constexpr int kVersion = 12'040;
  return Logged("cuDriverGetVersion", {}, [version] {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = kVersion;
    return CUDA_SUCCESS;
  });
}

SIMGPU_API CUresult cuDeviceGetCount(int* count) {
  return CallWithDriver("cuDeviceGetCount", [count] {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = 1;
    return CUDA_SUCCESS;
  });
}

SIMGPU_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return CallWithDriver("cuDeviceGet", [device, ordinal] {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal == 0) *device = 0;
    return CheckDevice(ordinal);
  });
}

SIMGPU_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  return CallWithDriver("cuCtxCreate_v2", [=] { return GiveContext(context, device); });
}

SIMGPU_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return CallWithDriver("cuDevicePrimaryCtxRetain", [=] { return GiveContext(context, device); });
}

SIMGPU_API CUresult cuCtxSetCurrent(CUcontext) {
  return DriverCall("cuCtxSetCurrent", {}, [] { return CUDA_SUCCESS; });
}

SIMGPU_API CUresult cuCtxSynchronize() {
  return DriverCall("cuCtxSynchronize", {}, [] { return SyncDevice(); });
}

// Before CUDA 12 without the last parameter.
SIMGPU_API CUresult cuGetProcAddress(const char* symbol, void** function, int, uint64_t flags) {
  return Logged("cuGetProcAddress", {}, [=] { return GetProcAddress(symbol, function, flags); });
}

SIMGPU_API CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, uint64_t flags,
                                        int* status) {
  return Logged("cuGetProcAddress_v2", {}, [=] {
    const CUresult code = GetProcAddress(symbol, function, flags);
    if (status != nullptr) *status = code == CUDA_ERROR_NOT_FOUND ? 1 : 0;
    return code;
  });
}
