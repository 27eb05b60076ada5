// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/functions.h"

#include <array>

namespace gpuwhy {
namespace {

constexpr int8_t kNone = -1;
// cudaMemcpyKind + 1, and one more for copies between devices.
enum Kind : uint8_t { kNoKind = 0, kH2D = 2, kD2H = 3, kD2D = 4, kDefault = 5, kP2P = 6 };

constexpr ProbedFunction Plain(std::string_view name) {
  return {.name = name};
}
constexpr ProbedFunction OnStream(std::string_view name, int8_t stream) {
  ProbedFunction function{.name = name};
  function.arguments.stream_slot = stream;
  return function;
}
constexpr ProbedFunction OfEvent(ProbedFunction function, int8_t event) {
  function.arguments.event_slot = event;
  return function;
}
constexpr ProbedFunction Sized(std::string_view name, int8_t bytes, int8_t stream = kNone) {
  ProbedFunction function = OnStream(name, stream);
  function.arguments.bytes_slot = bytes;
  return function;
}
// `kind` is the slot of the cudaMemcpyKind argument.
constexpr ProbedFunction Copy(std::string_view name, int8_t bytes, int8_t kind,
                              int8_t stream = kNone) {
  ProbedFunction function = Sized(name, bytes, stream);
  function.arguments.kind_slot = kind;
  return function;
}
constexpr ProbedFunction CopyOf(Kind fixed, std::string_view name, int8_t bytes,
                                int8_t stream = kNone) {
  ProbedFunction function = Sized(name, bytes, stream);
  function.arguments.fixed_kind = fixed;
  return function;
}
// Width in `bytes`, number of rows in the slot after it.
constexpr ProbedFunction TwoDimensional(ProbedFunction function) {
  function.arguments.bytes_factor_slot = static_cast<int8_t>(function.arguments.bytes_slot + 1);
  return function;
}
// Number of elements in `count`, their type in the slot after it.
constexpr ProbedFunction Collective(std::string_view name, int8_t count, int8_t stream) {
  ProbedFunction function = TwoDimensional(Sized(name, count, stream));
  function.arguments.factor_is_nccl_type = 1;
  return function;
}

// The sizes are in a struct that argument 0 points to, the width `at` bytes into it.
constexpr ProbedFunction Described(ProbedFunction function, uint8_t at, uint8_t dimension_count) {
  function.arguments.bytes_slot = 0;
  function.arguments.bytes_pointed_at = at;
  function.arguments.dimension_count = dimension_count;
  return function;
}
// The stream is in the launch configuration that argument 0 points to.
constexpr ProbedFunction Configured(std::string_view name) {
  ProbedFunction function = OnStream(name, 0);
  function.arguments.stream_pointed_at = 32;
  return function;
}

constexpr ProbedFunction In(ProbeGroup group, ProbedFunction function) {
  function.group = group;
  return function;
}
constexpr ProbedFunction Query(ProbedFunction function) {
  return In(ProbeGroup::kQueries, function);
}
constexpr ProbedFunction Object(ProbedFunction function) {
  return In(ProbeGroup::kObjects, function);
}
constexpr ProbedFunction Fill(ProbedFunction function) {
  return In(ProbeGroup::kFills, function);
}

constexpr std::array kRuntime = {
    // A dim3 passed by value takes two registers: the stream of a launch is in slot 7.
    OnStream("cudaLaunchKernel", 7),
    OnStream("cudaLaunchCooperativeKernel", 7),
    Configured("cudaLaunchKernelExC"),
    OnStream("cudaLaunchHostFunc", 0),
    Copy("cudaMemcpy", 2, 3),
    Copy("cudaMemcpyAsync", 2, 3, 4),
    TwoDimensional(Copy("cudaMemcpy2D", 4, 6)),
    TwoDimensional(Copy("cudaMemcpy2DAsync", 4, 6, 7)),
    Described(Plain("cudaMemcpy3D"), 128, 3),
    Described(OnStream("cudaMemcpy3DAsync", 1), 128, 3),
    Plain("cudaMemcpyBatchAsync"),
    CopyOf(kP2P, "cudaMemcpyPeer", 4),
    CopyOf(kP2P, "cudaMemcpyPeerAsync", 4, 5),
    Copy("cudaMemcpyToSymbol", 2, 4),
    Copy("cudaMemcpyToSymbolAsync", 2, 4, 5),
    Copy("cudaMemcpyFromSymbol", 2, 4),
    Copy("cudaMemcpyFromSymbolAsync", 2, 4, 5),
    Fill(Sized("cudaMemset", 2)),
    Fill(Sized("cudaMemsetAsync", 2, 3)),
    Fill(TwoDimensional(Sized("cudaMemset2D", 3))),
    Fill(TwoDimensional(Sized("cudaMemset2DAsync", 3, 5))),
    Fill(Sized("cudaMemPrefetchAsync", 1, 3)),
    Fill(Sized("cudaMemAdvise", 1)),
    Sized("cudaMalloc", 1),
    Sized("cudaMallocManaged", 1),
    Sized("cudaMallocAsync", 1, 2),
    Sized("cudaMallocFromPoolAsync", 1, 3),
    TwoDimensional(Sized("cudaMallocPitch", 2)),
    Plain("cudaMalloc3D"),
    Sized("cudaMallocHost", 1),
    Sized("cudaHostAlloc", 1),
    Sized("cudaHostRegister", 1),
    Plain("cudaHostUnregister"),
    Plain("cudaFree"),
    Plain("cudaFreeHost"),
    OnStream("cudaFreeAsync", 1),
    Query(Plain("cudaMemGetInfo")),
    Plain("cudaDeviceSynchronize"),
    Plain("cudaDeviceReset"),
    Plain("cudaDeviceEnablePeerAccess"),
    OnStream("cudaStreamSynchronize", 0),
    Query(OnStream("cudaStreamQuery", 0)),
    OfEvent(OnStream("cudaStreamWaitEvent", 0), 1),
    Object(Plain("cudaStreamCreate")),
    Object(Plain("cudaStreamCreateWithFlags")),
    Object(Plain("cudaStreamCreateWithPriority")),
    Object(OnStream("cudaStreamDestroy", 0)),
    Object(Plain("cudaEventCreate")),
    Object(Plain("cudaEventCreateWithFlags")),
    Query(OfEvent(OnStream("cudaEventRecord", 1), 0)),
    Query(OfEvent(OnStream("cudaEventRecordWithFlags", 1), 0)),
    OfEvent(Plain("cudaEventSynchronize"), 0),
    Query(OfEvent(Plain("cudaEventQuery"), 0)),
    Object(Plain("cudaEventElapsedTime")),
    Object(Plain("cudaEventDestroy")),
    OnStream("cudaStreamBeginCapture", 0),
    OnStream("cudaStreamEndCapture", 0),
    Plain("cudaGraphInstantiate"),
    Plain("cudaGraphInstantiateWithFlags"),
    Plain("cudaGraphExecUpdate"),
    OnStream("cudaGraphUpload", 1),
    OnStream("cudaGraphLaunch", 1),
    Plain("cudaGraphExecDestroy"),
    Plain("cudaGraphDestroy"),
    Plain("cudaLibraryLoadData"),
    Plain("cudaLibraryLoadFromFile"),
    Plain("cudaIpcOpenMemHandle"),
};

constexpr std::array kDriver = {
    OnStream("cuLaunchKernel", 8),
    OnStream("cuLaunchCooperativeKernel", 8),
    Configured("cuLaunchKernelEx"),
    OnStream("cuLaunchHostFunc", 0),
    CopyOf(kDefault, "cuMemcpy", 2),
    CopyOf(kDefault, "cuMemcpyAsync", 2, 3),
    CopyOf(kH2D, "cuMemcpyHtoD", 2),
    CopyOf(kH2D, "cuMemcpyHtoDAsync", 2, 3),
    CopyOf(kD2H, "cuMemcpyDtoH", 2),
    CopyOf(kD2H, "cuMemcpyDtoHAsync", 2, 3),
    CopyOf(kD2D, "cuMemcpyDtoD", 2),
    CopyOf(kD2D, "cuMemcpyDtoDAsync", 2, 3),
    CopyOf(kP2P, "cuMemcpyPeer", 4),
    CopyOf(kP2P, "cuMemcpyPeerAsync", 4, 5),
    Described(Plain("cuMemcpy2D"), 112, 2),
    Described(Plain("cuMemcpy2DUnaligned"), 112, 2),
    Described(OnStream("cuMemcpy2DAsync", 1), 112, 2),
    Described(Plain("cuMemcpy3D"), 176, 3),
    Described(OnStream("cuMemcpy3DAsync", 1), 176, 3),
    Plain("cuMemcpyBatchAsync"),
    Fill(Sized("cuMemsetD8", 2)),
    Fill(Sized("cuMemsetD8Async", 2, 3)),
    Fill(Plain("cuMemsetD16")),
    Fill(OnStream("cuMemsetD16Async", 3)),
    Fill(Plain("cuMemsetD32")),
    Fill(OnStream("cuMemsetD32Async", 3)),
    Fill(Sized("cuMemPrefetchAsync", 1, 3)),
    Sized("cuMemAlloc", 1),
    Sized("cuMemAllocManaged", 1),
    Sized("cuMemAllocAsync", 1, 2),
    Sized("cuMemAllocFromPoolAsync", 1, 3),
    TwoDimensional(Sized("cuMemAllocPitch", 2)),
    Plain("cuMemFree"),
    OnStream("cuMemFreeAsync", 1),
    Sized("cuMemHostAlloc", 1),
    Sized("cuMemAllocHost", 1),
    Plain("cuMemFreeHost"),
    Sized("cuMemHostRegister", 1),
    Plain("cuMemHostUnregister"),
    Sized("cuMemCreate", 1),
    Sized("cuMemMap", 1),
    Sized("cuMemUnmap", 1),
    Plain("cuMemRelease"),
    Plain("cuCtxSynchronize"),
    OnStream("cuStreamSynchronize", 0),
    Query(OnStream("cuStreamQuery", 0)),
    OfEvent(OnStream("cuStreamWaitEvent", 0), 1),
    Object(Plain("cuStreamCreate")),
    Object(Plain("cuStreamCreateWithPriority")),
    Object(OnStream("cuStreamDestroy", 0)),
    Object(Plain("cuEventCreate")),
    Query(OfEvent(OnStream("cuEventRecord", 1), 0)),
    Query(OfEvent(OnStream("cuEventRecordWithFlags", 1), 0)),
    OfEvent(Plain("cuEventSynchronize"), 0),
    Query(OfEvent(Plain("cuEventQuery"), 0)),
    Object(Plain("cuEventElapsedTime")),
    OnStream("cuStreamBeginCapture", 0),
    OnStream("cuStreamEndCapture", 0),
    Plain("cuGraphInstantiate"),
    Plain("cuGraphInstantiateWithFlags"),
    Plain("cuGraphInstantiateWithParams"),
    Plain("cuGraphExecUpdate"),
    OnStream("cuGraphUpload", 1),
    OnStream("cuGraphLaunch", 1),
    Plain("cuModuleLoad"),
    Plain("cuModuleLoadData"),
    Plain("cuModuleLoadDataEx"),
    Plain("cuModuleLoadFatBinary"),
    Plain("cuModuleUnload"),
    Plain("cuModuleGetFunction"),
    Plain("cuLibraryLoadData"),
    Plain("cuLibraryLoadFromFile"),
    Plain("cuLibraryUnload"),
    Plain("cuLibraryGetKernel"),
    Plain("cuLinkComplete"),
    Plain("cuInit"),
    Plain("cuCtxCreate"),
    Plain("cuDevicePrimaryCtxRetain"),
    Plain("cuIpcOpenMemHandle"),
};

constexpr std::array kNccl = {
    Collective("ncclAllReduce", 2, 6),
    Collective("ncclAllGather", 2, 5),
    Collective("ncclReduceScatter", 2, 6),
    Collective("ncclBroadcast", 2, 6),
    Collective("ncclBcast", 1, 5),
    Collective("ncclReduce", 2, 7),
    Collective("ncclSend", 1, 5),
    Collective("ncclRecv", 1, 5),
    Plain("ncclGroupStart"),
    Plain("ncclGroupEnd"),
    Plain("ncclCommInitRank"),
    Plain("ncclCommInitRankConfig"),
    Plain("ncclCommInitAll"),
    Plain("ncclCommSplit"),
    Plain("ncclCommFinalize"),
    Plain("ncclCommDestroy"),
    Plain("ncclCommAbort"),
};

constexpr std::string_view kCopyKinds[] = {"", "H2H", "H2D", "D2H", "D2D", "default", "P2P"};

}  // namespace

std::span<const ProbedFunction> FunctionsOf(GpuLibraryKind kind) {
  switch (kind) {
    case GpuLibraryKind::kCudaRuntime:
      return kRuntime;
    case GpuLibraryKind::kCudaDriver:
      return kDriver;
    case GpuLibraryKind::kNccl:
      return kNccl;
  }
  return {};
}

std::vector<std::string> VariantsOf(std::string_view name, GpuLibraryKind kind) {
  const std::string base(name);
  std::vector<std::string> names = {base};
  if (kind == GpuLibraryKind::kNccl) return names;
  if (kind == GpuLibraryKind::kCudaDriver) {
    for (const char* version : {"_v2", "_v3"})
      names.push_back(base + version);
  }
  const size_t count = names.size();
  for (size_t i = 0; i < count; ++i) {
    for (const char* stream : {"_ptsz", "_ptds"})
      names.push_back(names[i] + stream);
  }
  return names;
}

std::string_view CopyKindText(uint8_t copy_kind) {
  return copy_kind < std::size(kCopyKinds) ? kCopyKinds[copy_kind] : std::string_view();
}

}  // namespace gpuwhy
