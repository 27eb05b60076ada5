// SPDX-License-Identifier: Apache-2.0
// Codes, the log, and what a probe needs of the libraries.
#include <dlfcn.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>

#include "examples/simgpu/driver/libcuda.h"
#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"

namespace gpuwhy {
namespace {

// What the probes of gpuwhy look for.
constexpr const char* kRuntime =
    "cudaMalloc cudaFree cudaMallocManaged cudaMallocAsync cudaFreeAsync cudaMallocHost "
    "cudaHostAlloc cudaFreeHost cudaHostRegister cudaHostUnregister cudaMemcpy cudaMemcpyAsync "
    "cudaMemcpy2D cudaMemcpy2DAsync cudaMemcpyPeer cudaMemcpyPeerAsync cudaMemset cudaMemsetAsync "
    "cudaLaunchKernel cudaLaunchKernelExC cudaLaunchCooperativeKernel cudaStreamCreate "
    "cudaStreamCreateWithFlags cudaStreamDestroy cudaStreamSynchronize cudaStreamQuery "
    "cudaStreamWaitEvent cudaDeviceSynchronize cudaEventCreate cudaEventCreateWithFlags "
    "cudaEventRecord cudaEventSynchronize cudaEventQuery cudaEventElapsedTime cudaEventDestroy "
    "cudaStreamBeginCapture cudaStreamEndCapture cudaGraphInstantiate cudaGraphLaunch "
    "cudaGraphExecDestroy cudaGraphDestroy cudaSetDevice cudaGetDevice cudaGetDeviceCount "
    "cudaGetLastError cudaLibraryLoadData cudaLaunchKernel_ptsz cudaLaunchKernelExC_ptsz "
    "cudaMemcpyAsync_ptsz cudaStreamSynchronize_ptsz cudaMemsetAsync_ptsz";
constexpr const char* kDriver =
    "cuInit cuDeviceGet cuCtxCreate_v2 cuDevicePrimaryCtxRetain cuCtxSynchronize cuLaunchKernel "
    "cuLaunchKernelEx cuLaunchCooperativeKernel cuLaunchKernel_ptsz cuMemAlloc_v2 cuMemFree_v2 "
    "cuMemAllocManaged cuMemAllocAsync cuMemFreeAsync cuMemHostAlloc cuMemFreeHost "
    "cuMemHostRegister_v2 cuMemHostUnregister cuMemcpy cuMemcpyAsync cuMemcpyHtoD_v2 "
    "cuMemcpyHtoDAsync_v2 cuMemcpyDtoH_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoD_v2 cuMemsetD8_v2 "
    "cuMemsetD8Async cuStreamCreate cuStreamSynchronize cuStreamWaitEvent cuEventRecord "
    "cuEventSynchronize cuEventQuery cuGraphInstantiateWithFlags cuGraphLaunch cuModuleLoadData "
    "cuModuleGetFunction cuLibraryLoadData cuGetProcAddress cuGetProcAddress_v2";
constexpr const char* kNccl =
    "ncclGetUniqueId ncclCommInitRank ncclCommDestroy ncclAllReduce ncclAllGather "
    "ncclReduceScatter ncclBroadcast ncclSend ncclRecv ncclGroupStart ncclGroupEnd";

}  // namespace

TEST_CASE("simgpu: every function has a body of its own in its library", "[simgpu]") {
  const auto [library, names] = GENERATE(table<const char*, const char*>(
      {{"libcudart.so.12", kRuntime}, {"libcuda.so.1", kDriver}, {"libnccl.so.2", kNccl}}));
  std::istringstream list(names);
  std::set<void*> addresses;
  for (std::string name; list >> name;) {
    INFO(name);
    void* address = dlsym(RTLD_DEFAULT, name.c_str());
    Dl_info info{};
    REQUIRE(dladdr(address, &info) != 0);
    CHECK(std::filesystem::path(info.dli_fname).filename() == library);
    CHECK(addresses.insert(address).second);
  }
}

TEST_CASE("simgpu: calls fail with the documented codes", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    char host[16] = {};
    void* device = DeviceMemory(16);
    auto* nowhere = reinterpret_cast<cudaStream_t>(host);
    cudaStream_t gone = MakeStream();
    cudaStreamDestroy(gone);
    return {cudaLaunchKernel("unknown", {}, {}, nullptr, 0, nullptr),
            cudaLaunchKernel(Kernel("known"), {.x = 0}, {}, nullptr, 0, nullptr),
            cudaLaunchKernel(Kernel("known"), {}, {.x = 1025}, nullptr, 0, nullptr),
            cudaStreamSynchronize(nowhere),
            cudaStreamQuery(gone),
            cudaEventSynchronize(nullptr),
            cudaMalloc(nullptr, 16),
            cudaFree(host),
            cudaFreeHost(host),
            cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost),
            cudaMemcpy(device, host, 16, static_cast<cudaMemcpyKind>(9)),
            cudaSetDevice(1),
            cudaGraphLaunch(nullptr, nullptr)};
  });

  CHECK(numbers == Numbers{cudaErrorInvalidDeviceFunction, cudaErrorInvalidConfiguration,
                           cudaErrorInvalidConfiguration, cudaErrorInvalidResourceHandle,
                           cudaErrorInvalidResourceHandle, cudaErrorInvalidResourceHandle,
                           cudaErrorInvalidValue, cudaErrorInvalidValue, cudaErrorInvalidValue,
                           cudaErrorInvalidValue, cudaErrorInvalidMemcpyDirection,
                           cudaErrorInvalidDevice, cudaErrorInvalidValue});
  CHECK(truth.CallOf("cudaSetDevice").code == cudaErrorInvalidDevice);
}

TEST_CASE("simgpu: the driver wants cuInit and a context first", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    CUdeviceptr memory = 0;
    CUcontext context = nullptr;
    void* function = nullptr;
    int status = -1;
    return {cuMemAlloc_v2(&memory, 16),
            cuInit(0),
            cuMemAlloc_v2(&memory, 16),
            cuDevicePrimaryCtxRetain(&context, 0),
            cuMemAlloc_v2(&memory, 16),
            cuGetProcAddress_v2("cuMemFree", &function, 12000, 0, &status),
            function == reinterpret_cast<void*>(&cuMemFree_v2),
            cuGetProcAddress_v2("cuNothing", &function, 12000, 0, &status),
            status};
  });

  CHECK(numbers == Numbers{CUDA_ERROR_NOT_INITIALIZED, CUDA_SUCCESS, CUDA_ERROR_INVALID_CONTEXT,
                           CUDA_SUCCESS, CUDA_SUCCESS, CUDA_SUCCESS, true, CUDA_ERROR_NOT_FOUND,
                           1});
}

TEST_CASE("simgpu: a child that is forked after the first call can use nothing", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    DeviceMemory(16);
    const pid_t pid = fork();
    if (pid == 0) {
      void* memory = nullptr;
      _exit(cudaMalloc(&memory, 16));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return {WEXITSTATUS(status)};
  });

  CHECK(numbers == Numbers{cudaErrorInitializationError});
  CHECK(truth.CallsOf("cudaMalloc").size() == 1);
}

TEST_CASE("simgpu: a call of the runtime contains its call of the driver", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    cudaStream_t stream = MakeStream();
    void* memory = DeviceMemory(64);
    LaunchOn(stream, "kernel", 1);
    cudaMemcpyAsync(memory, PinnedMemory(64), 64, cudaMemcpyHostToDevice, stream);
    return {cudaStreamSynchronize(stream)};
  });
  const auto [outer, inner] = GENERATE(table<const char*, const char*>({
      {"cudaMalloc", "cuMemAlloc_v2"},
      {"cudaMallocHost", "cuMemHostAlloc"},
      {"cudaLaunchKernel", "cuLaunchKernel"},
      {"cudaMemcpyAsync", "cuMemcpyHtoDAsync_v2"},
      {"cudaStreamSynchronize", "cuStreamSynchronize"},
  }));

  INFO(outer);
  CHECK(truth.CallOf(outer).entry_ns <= truth.CallOf(inner).entry_ns);
  CHECK(truth.CallOf(inner).exit_ns <= truth.CallOf(outer).exit_ns);
  CHECK(truth.CallOf(inner).tid == truth.CallOf(outer).tid);
  CHECK(truth.CallOf(inner).stream == truth.CallOf(outer).stream);
}

TEST_CASE("simgpu: the log of a killed process can be read", "[simgpu]") {
  SimProcess process([]() -> Numbers {
    LaunchOn(nullptr, "long", kNearlyForever);
    for (;;)
      cudaStreamQuery(nullptr);
  });
  WaitUntil([path = process.log_path()] {
    return std::filesystem::exists(path) && std::filesystem::file_size(path) > 0;
  });
  kill(process.pid(), SIGKILL);
  REQUIRE(waitpid(process.pid(), nullptr, 0) == process.pid());
  const GroundTruth truth = ReadGroundTruth(process.log_path(), LastLine::kMayBeCut);

  CHECK(truth.OpOf("long").end_ns > truth.CallOf("cudaLaunchKernel").exit_ns);
  CHECK_FALSE(truth.CallsOf("cudaStreamQuery").empty());
}

}  // namespace gpuwhy
