// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12: launches and libraries.
#include "examples/simgpu/driver/libcuda.h"
#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/runtime/registered_kernels.h"
#include "examples/simgpu/runtime/runtime_call.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

namespace {

constexpr unsigned kMostThreads = 1'024;

bool IsSaneShape(dim3 grid, dim3 block) {
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  return grid.x > 0 && grid.y > 0 && grid.z > 0 && threads > 0 && threads <= kMostThreads;
}

// `launch` gets what the driver knows the kernel by.
template <typename Body>
cudaError_t CallLaunch(const char* name, const CUlaunchConfig& config, const void* function,
                       const Body& launch) {
  const CallFacts facts{.kind = "kernel", .stream = config.hStream};
  return RuntimeCall(name, facts, [&]() -> cudaError_t {
    if (!IsSaneShape({config.gridDimX, config.gridDimY, config.gridDimZ},
                     {config.blockDimX, config.blockDimY, config.blockDimZ}))
      return cudaErrorInvalidConfiguration;
    CUfunction loaded = nullptr;
    const cudaError_t error = FunctionOf(function, &loaded);
    return error == cudaSuccess ? AsRuntime(launch(config, loaded)) : error;
  });
}

CUlaunchConfig Config(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  return {.gridDimX = grid.x,
          .gridDimY = grid.y,
          .gridDimZ = grid.z,
          .blockDimX = block.x,
          .blockDimY = block.y,
          .blockDimZ = block.z,
          .sharedMemBytes = static_cast<unsigned>(shared_bytes),
          .hStream = stream};
}

CUlaunchConfig Config(const cudaLaunchConfig_t& config, cudaStream_t stream) {
  return Config(config.gridDim, config.blockDim, config.dynamicSmemBytes, stream);
}

}  // namespace

SIMGPU_API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
  return CallLaunch("cudaLaunchKernel", Config(grid, block, shared_bytes, stream), function,
                    [=](const CUlaunchConfig& on, CUfunction loaded) {
                      return cuLaunchKernel(loaded, on.gridDimX, on.gridDimY, on.gridDimZ,
                                            on.blockDimX, on.blockDimY, on.blockDimZ,
                                            on.sharedMemBytes, on.hStream, arguments, nullptr);
                    });
}

SIMGPU_API cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block,
                                             void** arguments, size_t shared_bytes,
                                             cudaStream_t stream) {
  return CallLaunch("cudaLaunchKernel_ptsz", Config(grid, block, shared_bytes, OrPerThread(stream)),
                    function, [=](const CUlaunchConfig& on, CUfunction loaded) {
                      return cuLaunchKernel_ptsz(loaded, on.gridDimX, on.gridDimY, on.gridDimZ,
                                                 on.blockDimX, on.blockDimY, on.blockDimZ,
                                                 on.sharedMemBytes, on.hStream, arguments, nullptr);
                    });
}

SIMGPU_API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                                   void** arguments, size_t shared_bytes,
                                                   cudaStream_t stream) {
  return CallLaunch("cudaLaunchCooperativeKernel", Config(grid, block, shared_bytes, stream),
                    function, [=](const CUlaunchConfig& on, CUfunction loaded) {
                      return cuLaunchCooperativeKernel(
                          loaded, on.gridDimX, on.gridDimY, on.gridDimZ, on.blockDimX, on.blockDimY,
                          on.blockDimZ, on.sharedMemBytes, on.hStream, arguments);
                    });
}

SIMGPU_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                           void** arguments) {
  if (config == nullptr) return Remember(cudaErrorInvalidValue);
  return CallLaunch("cudaLaunchKernelExC", Config(*config, config->stream), function,
                    [=](const CUlaunchConfig& on, CUfunction loaded) {
                      return cuLaunchKernelEx(&on, loaded, arguments, nullptr);
                    });
}

SIMGPU_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config,
                                                const void* function, void** arguments) {
  if (config == nullptr) return Remember(cudaErrorInvalidValue);
  return CallLaunch("cudaLaunchKernelExC_ptsz", Config(*config, OrPerThread(config->stream)),
                    function, [=](const CUlaunchConfig& on, CUfunction loaded) {
                      return cuLaunchKernelEx(&on, loaded, arguments, nullptr);
                    });
}

SIMGPU_API cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* image,
                                           void* jit_options, void** jit_values, unsigned jit_count,
                                           void* options, void** values, unsigned count) {
  return RuntimeCall("cudaLibraryLoadData", {}, [=] {
    return cuLibraryLoadData(library, image, jit_options, jit_values, jit_count, options, values,
                             count);
  });
}

SIMGPU_API cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library,
                                            const char* name) {
  return RuntimeCall("cudaLibraryGetKernel", {}, [=] {
    const CUresult code = cuLibraryGetKernel(kernel, library, name);
    if (code == CUDA_SUCCESS) RegisterLoaded(*kernel);
    return code;
  });
}

SIMGPU_API cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return RuntimeCall("cudaLibraryUnload", {}, [=] { return cuLibraryUnload(library); });
}
