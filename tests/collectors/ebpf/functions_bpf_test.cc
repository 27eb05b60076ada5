// SPDX-License-Identifier: Apache-2.0
// Each function of the simulated libraries that is in the table of probes is called once and found
// again as a row; the table itself against CUDA's own headers.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "collectors/ebpf/functions.h"
#include "collectors/symbols/elf_symbols.h"
#include "examples/simgpu/driver/libcuda.h"
#include "examples/simgpu/nccl/libnccl.h"
#include "tests/catch.h"
#include "tests/collectors/ebpf/stored_calls.h"
#include "tests/examples/sim_calls.h"

namespace gpuwhy {
namespace {

constexpr size_t kBytes = 4096;
constexpr ncclDataType_t kFloat32 = 7;
constexpr ncclDataType_t kFloat16 = 6;
char kernel_images[] = "first\nsecond\n";

CUdeviceptr Address(const void* memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

void UseRuntimeMemory(cudaStream_t stream) {
  void *device = DeviceMemory(4 * kBytes), *pinned = PinnedMemory(4 * kBytes);
  void *managed = nullptr, *pooled = nullptr, *allocated = nullptr;
  static char ordinary[2 * kBytes];
  cudaMallocManaged(&managed, kBytes, 1);
  cudaMallocAsync(&pooled, kBytes, stream);
  cudaHostAlloc(&allocated, kBytes, 0);
  cudaHostRegister(ordinary, sizeof ordinary, 0);
  cudaMemcpy(device, pinned, 100, cudaMemcpyHostToDevice);
  cudaMemcpy(pinned, device, 200, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(device, pinned, 300, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync_ptsz(device, pinned, 400, cudaMemcpyHostToDevice, stream);
  cudaMemcpy2D(device, 512, pinned, 512, 256, 10, cudaMemcpyHostToDevice);
  cudaMemcpy2DAsync(device, 512, pinned, 512, 128, 10, cudaMemcpyHostToDevice, stream);
  cudaMemcpyPeer(device, 0, device, 0, 64);
  cudaMemcpyPeerAsync(device, 0, device, 0, 32, stream);
  cudaMemset(device, 1, 500);
  cudaMemsetAsync(device, 1, 600, stream);
  cudaMemsetAsync_ptsz(device, 1, 700, stream);
  cudaHostUnregister(ordinary);
  cudaFreeAsync(pooled, stream);
  cudaFreeHost(allocated);
  cudaFreeHost(pinned);
  cudaFree(managed);
  cudaFree(device);
}

void UseRuntimeLaunches(cudaStream_t stream) {
  uint64_t duration_ns = 1000;
  void* arguments[] = {&duration_ns};
  const void* kernel = Kernel("kernel");
  const cudaLaunchConfig_t config{.gridDim = {}, .blockDim = {}, .stream = stream};
  cudaLaunchKernel(kernel, {}, {}, arguments, 0, stream);
  cudaLaunchKernel_ptsz(kernel, {}, {}, arguments, 0, stream);
  cudaLaunchKernelExC(&config, kernel, arguments);
  cudaLaunchKernelExC_ptsz(&config, kernel, arguments);
  cudaLaunchCooperativeKernel(kernel, {}, {}, arguments, 0, stream);
  cudaLibrary_t library = nullptr;
  cudaLibraryLoadData(&library, kernel_images, nullptr, nullptr, 0, nullptr, nullptr, 0);
  cudaLibraryUnload(library);
}

void UseRuntimeStreams(cudaStream_t stream) {
  cudaStream_t other = nullptr;
  cudaEvent_t first = nullptr, second = nullptr;
  float elapsed_ms = 0;
  cudaStreamCreate(&other);
  cudaEventCreate(&first);
  cudaEventCreateWithFlags(&second, 0);
  cudaEventRecord(first, stream);
  cudaEventRecord(second, stream);
  cudaStreamWaitEvent(other, second, 0);
  cudaEventQuery(second);
  cudaEventSynchronize(second);
  cudaEventElapsedTime(&elapsed_ms, first, second);
  cudaStreamQuery(other);
  cudaStreamSynchronize(stream);
  cudaStreamSynchronize_ptsz(nullptr);
  cudaDeviceSynchronize();
  cudaEventDestroy(first);
  cudaEventDestroy(second);
  cudaStreamDestroy(other);
}

void UseGraphs(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  LaunchOn(stream, "captured", 1000);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

// What the runtime does not call by itself.
void UseDriver(CUstream stream) {
  char* device = static_cast<char*>(DeviceMemory(4 * kBytes));
  char* pinned = static_cast<char*>(PinnedMemory(kBytes));
  cuMemcpy(Address(device), Address(device + kBytes), 11);
  cuMemcpyAsync(Address(device), Address(device + kBytes), 12, stream);
  cuMemcpyHtoD_v2(Address(device), pinned, 13);
  cuMemcpyDtoH_v2(pinned, Address(device), 14);
  cuMemcpyDtoD_v2(Address(device), Address(device + kBytes), 15);
  cuMemcpyHtoDAsync_v2(Address(device), pinned, 16, stream);
  cuMemcpyDtoHAsync_v2(pinned, Address(device), 17, stream);
  cuMemcpyDtoDAsync_v2(Address(device), Address(device + kBytes), 18, stream);
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUcontext context = nullptr;
  cuCtxCreate_v2(&context, 0, 0);
  cuModuleLoadData(&module, kernel_images);
  cuModuleGetFunction(&function, module, "first");
  cuModuleUnload(module);
  cuLibraryLoadData(&library, kernel_images, nullptr, nullptr, 0, nullptr, nullptr, 0);
  cuLibraryGetKernel(&kernel, library, "second");
  cuLibraryUnload(library);
}

void UseNccl(const ncclUniqueId& id, int rank) {
  ncclComm_t comm = nullptr;
  ncclCommInitRank(&comm, 2, id, rank);
  cudaStream_t stream = MakeStream();
  ncclAllReduce(nullptr, nullptr, 1000, kFloat32, 0, comm, stream);
  ncclAllGather(nullptr, nullptr, 1001, kFloat16, comm, stream);
  ncclReduceScatter(nullptr, nullptr, 1002, kFloat32, 0, comm, stream);
  ncclBroadcast(nullptr, nullptr, 1003, kFloat32, 0, comm, stream);
  ncclGroupStart();
  ncclSend(nullptr, 1004, kFloat32, 1 - rank, comm, stream);
  ncclRecv(nullptr, 1004, kFloat32, 1 - rank, comm, stream);
  ncclGroupEnd();
  cudaStreamSynchronize(stream);
  ncclCommDestroy(comm);
}

Numbers UseWholeTable() {
  ncclUniqueId id{};
  std::snprintf(id.internal, sizeof id.internal, "/simgpu-nccl-test-%d", getpid());
  if (fork() == 0) {
    UseNccl(id, 1);
    simgpuFlushLog();
    _exit(0);
  }
  cudaStream_t stream = MakeStream();
  UseRuntimeMemory(stream);
  UseRuntimeLaunches(stream);
  UseRuntimeStreams(stream);
  UseGraphs(stream);
  UseDriver(stream);
  UseNccl(id, 0);
  cudaStreamDestroy(stream);
  return {};
}

std::set<std::string> TableNames(GpuLibraryKind kind, bool with_variants) {
  std::set<std::string> names;
  for (const ProbedFunction& function : FunctionsOf(kind)) {
    if (!with_variants) names.emplace(function.name);
    if (!with_variants) continue;
    for (const std::string& name : VariantsOf(function.name, kind))
      names.insert(name);
  }
  return names;
}

std::set<std::string> ExportedBy(const std::string& library, GpuLibraryKind kind) {
  const auto wanted = TableNames(kind, true);
  const auto functions =
      ReadFunctions(std::string(GPUWHY_SIMGPU_DIR) + "/" + library, {wanted.begin(), wanted.end()});
  REQUIRE(functions.ok());
  std::set<std::string> names;
  for (const ElfFunction& function : functions.value())
    names.insert(function.name);
  return names;
}

// "H2D" of "h2d_pinned".
std::string DirectionOf(const TrueCall& truth) {
  std::string direction = truth.kind.substr(0, 3);
  for (char& c : direction)
    c = c == '2' ? c : static_cast<char>(c - 'a' + 'A');
  return direction;
}

void CheckAgainst(const StoredCall& stored, const TrueCall& truth) {
  CHECK(stored.bytes == truth.bytes);
  CHECK(stored.code == truth.code);
  const bool has_direction = stored.kind.size() == 3 && stored.kind != "P2P";
  if (has_direction) CHECK(stored.kind == DirectionOf(truth));
  // The log of a per-thread function has the stream that null stands for there.
  const bool is_per_thread = truth.name.ends_with("_ptsz");
  if (stored.stream >= 0 && !is_per_thread)
    CHECK(fmt::format("{:#x}", stored.stream) == truth.stream);
}

std::string Joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += " " + name;
  return text;
}

// As a function, or as what the name of a function is defined to be.
bool Declares(const std::string& header, const std::string& name) {
  for (size_t at = header.find(name); at != std::string::npos; at = header.find(name, at + 1)) {
    const char before = header[at - 1];
    const char after = header[at + name.size()];
    if ((before == ' ' || before == '\n') && (after == '(' || after == '\n')) return true;
  }
  return false;
}

// Names of the table that this header does not declare, with any of their variants.
std::set<std::string> NotDeclared(GpuLibraryKind kind, const std::string& header) {
  std::ifstream file(header);
  std::stringstream text;
  text << file.rdbuf();
  std::set<std::string> missing;
  for (const std::string& base : TableNames(kind, false)) {
    bool is_declared = false;
    for (const std::string& name : VariantsOf(base, kind))
      is_declared = is_declared || Declares(text.str(), name);
    if (!is_declared) missing.insert(base);
  }
  return missing;
}

}  // namespace

TEST_CASE("ebpf: every function of the simulated libraries is found with size, stream and result",
          "[ebpf]") {
  const RecordedRun run = Record(&UseWholeTable);
  const StoredCalls stored = ReadCalls(run);
  std::set<std::string> expected = ExportedBy("libcudart.so.12", GpuLibraryKind::kCudaRuntime);
  expected.merge(ExportedBy("libcuda.so.1", GpuLibraryKind::kCudaDriver));
  expected.merge(ExportedBy("libnccl.so.2", GpuLibraryKind::kNccl));
  std::set<std::string> exercised;
  for (const TrueCall& truth : run.truth.calls) {
    if (!expected.contains(truth.name)) continue;
    INFO(truth.name << " bytes " << truth.bytes << " " << truth.kind << " stream " << truth.stream);
    const StoredCall* call = Around(stored, truth, run.clock_offset_ns);
    REQUIRE(call != nullptr);
    CheckAgainst(*call, truth);
    exercised.insert(truth.name);
  }
  std::set<std::string> left = expected;
  for (const std::string& name : exercised)
    left.erase(name);
  CHECK(Joined(left) == "");
  CHECK(run.Int("SELECT count(DISTINCT p.pid) FROM api_call a JOIN thread t ON t.id = a.thread_id "
                "JOIN process p ON p.id = t.process_id JOIN name n ON n.id = a.name_id "
                "WHERE n.text = 'ncclAllReduce' AND a.bytes = 4000") == 2);
}

TEST_CASE("ebpf: the simulator lacks exactly these functions of the table", "[ebpf]") {
  const auto lacking = [](GpuLibraryKind kind, const char* library) {
    const std::set<std::string> exported = ExportedBy(library, kind);
    std::set<std::string> names;
    for (const std::string& base : TableNames(kind, false)) {
      bool is_there = false;
      for (const std::string& name : VariantsOf(base, kind))
        is_there = is_there || exported.contains(name);
      if (!is_there) names.insert(base);
    }
    return Joined(names);
  };

  CHECK(lacking(GpuLibraryKind::kCudaRuntime, "libcudart.so.12") ==
        " cudaDeviceEnablePeerAccess cudaDeviceReset cudaEventRecordWithFlags"
        " cudaGraphExecUpdate cudaGraphInstantiateWithFlags cudaGraphUpload"
        " cudaIpcOpenMemHandle cudaLaunchHostFunc cudaLibraryLoadFromFile cudaMalloc3D"
        " cudaMallocFromPoolAsync cudaMallocPitch cudaMemAdvise cudaMemGetInfo"
        " cudaMemPrefetchAsync cudaMemcpy3D cudaMemcpy3DAsync cudaMemcpyBatchAsync"
        " cudaMemcpyFromSymbol cudaMemcpyFromSymbolAsync cudaMemcpyToSymbol"
        " cudaMemcpyToSymbolAsync cudaMemset2D cudaMemset2DAsync"
        " cudaStreamCreateWithPriority");
  CHECK(lacking(GpuLibraryKind::kCudaDriver, "libcuda.so.1") ==
        " cuEventRecordWithFlags cuGraphExecUpdate cuGraphInstantiate"
        " cuGraphInstantiateWithParams cuGraphUpload cuIpcOpenMemHandle cuLaunchHostFunc"
        " cuLibraryLoadFromFile cuLinkComplete cuMemAllocFromPoolAsync cuMemAllocHost"
        " cuMemAllocPitch cuMemCreate cuMemMap cuMemPrefetchAsync cuMemRelease cuMemUnmap"
        " cuMemcpy2DUnaligned cuMemcpy3D cuMemcpy3DAsync cuMemcpyBatchAsync cuMemcpyPeer"
        " cuMemcpyPeerAsync cuMemsetD16 cuMemsetD16Async cuMemsetD32 cuMemsetD32Async"
        " cuModuleLoad cuModuleLoadDataEx cuModuleLoadFatBinary"
        " cuStreamCreateWithPriority");
  CHECK(lacking(GpuLibraryKind::kNccl, "libnccl.so.2") ==
        " ncclBcast ncclCommAbort ncclCommFinalize ncclCommInitAll ncclCommInitRankConfig"
        " ncclCommSplit ncclReduce");
}

TEST_CASE("ebpf: every function of the table is declared by CUDA's own headers", "[ebpf]") {
  const std::string folder = "/usr/local/cuda/include/";
  if (!std::ifstream(folder + "cuda.h")) {
    WARN("skipped: there are no CUDA headers in " << folder);
    return;
  }

  CHECK(Joined(NotDeclared(GpuLibraryKind::kCudaRuntime, folder + "cuda_runtime_api.h")) == "");
  CHECK(Joined(NotDeclared(GpuLibraryKind::kCudaDriver, folder + "cuda.h")) == "");
  if (std::ifstream(folder + "nccl.h"))
    CHECK(Joined(NotDeclared(GpuLibraryKind::kNccl, folder + "nccl.h")) == "");
}

}  // namespace gpuwhy
