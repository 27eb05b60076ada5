// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: modules and launches.
#include "examples/simgpu/core/kernels.h"
#include "examples/simgpu/driver/driver_call.h"
#include "examples/simgpu/driver/libcuda.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

constexpr CallFacts kKernelFacts{.kind = "kernel"};

// Arguments in one buffer (`extra`) are not simulated, and refused.
CUresult CallLaunch(const char* name, const Launch& launch, CUstream stream, const void* extra) {
  return StreamCall(name, kKernelFacts, stream, [&launch, extra](Stream& on) {
    return extra == nullptr ? LaunchKernel(launch, on) : CUDA_ERROR_INVALID_VALUE;
  });
}

// Gives what `find` found as a handle.
template <typename Handle, typename Body>
CUresult Give(const char* name, Handle* handle, const Body& find) {
  return DriverCall(name, {}, [&] {
    const void* found = nullptr;
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult code = find(&found);
    if (code == CUDA_SUCCESS) *handle = static_cast<Handle>(const_cast<void*>(found));
    return code;
  });
}

template <typename Handle>
CUresult Load(const char* name, const void* image, Handle* module) {
  return Give(name, module, [image](const void** found) { return LoadImage(image, found); });
}

template <typename Handle>
CUresult Find(const char* name, const void* module, const char* kernel, Handle* handle) {
  return Give(name, handle, [=](const void** found) { return FindKernel(module, kernel, found); });
}

}  // namespace

SIMGPU_API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return Load("cuModuleLoadData", image, module);
}

SIMGPU_API CUresult cuModuleUnload(CUmodule module) {
  return DriverCall("cuModuleUnload", {}, [=] { return UnloadImage(module); });
}

SIMGPU_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return Find("cuModuleGetFunction", module, name, function);
}

// The options of the just-in-time compiler are ignored.
SIMGPU_API CUresult cuLibraryLoadData(CUlibrary* library, const void* image, void*, void**,
                                      unsigned, void*, void**, unsigned) {
  return Load("cuLibraryLoadData", image, library);
}

SIMGPU_API CUresult cuLibraryUnload(CUlibrary library) {
  return DriverCall("cuLibraryUnload", {}, [=] { return UnloadImage(library); });
}

SIMGPU_API CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return Find("cuLibraryGetKernel", library, name, kernel);
}

// A kernel can stand for its function, as in the driver.
SIMGPU_API CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return DriverCall("cuKernelGetFunction", {}, [=] {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *function = reinterpret_cast<CUfunction>(kernel);
    return CUDA_SUCCESS;
  });
}

SIMGPU_API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned, CUstream stream, void** arguments,
                                   void** extra) {
  const Launch launch{.kernel = function,
                      .grid = {grid_x, grid_y, grid_z},
                      .block = {block_x, block_y, block_z},
                      .arguments = arguments};
  return CallLaunch("cuLaunchKernel", launch, stream, extra);
}

SIMGPU_API CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned, CUstream stream,
                                        void** arguments, void** extra) {
  const Launch launch{.kernel = function,
                      .grid = {grid_x, grid_y, grid_z},
                      .block = {block_x, block_y, block_z},
                      .arguments = arguments};
  return CallLaunch("cuLaunchKernel_ptsz", launch, OrPerThread(stream), extra);
}

SIMGPU_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                              unsigned grid_z, unsigned block_x, unsigned block_y,
                                              unsigned block_z, unsigned, CUstream stream,
                                              void** arguments) {
  const Launch launch{.kernel = function,
                      .grid = {grid_x, grid_y, grid_z},
                      .block = {block_x, block_y, block_z},
                      .arguments = arguments};
  return CallLaunch("cuLaunchCooperativeKernel", launch, stream, nullptr);
}

SIMGPU_API CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                     void** arguments, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Launch launch{.kernel = function,
                      .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                      .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                      .arguments = arguments};
  return CallLaunch("cuLaunchKernelEx", launch, config->hStream, extra);
}
