// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/workloads/kernels.h"

#include <array>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/workloads/check.h"

namespace gpuwhy::simgpu {
namespace {

constexpr std::array<const char*, 4> kNames = {"conv_forward", "gemm_forward", "gemm_backward",
                                               "adam_update"};
constexpr size_t kScratchBytes = size_t{1} << 20;

// Their addresses stand for the kernels.
std::array<char, kNames.size()> host_functions;

}  // namespace

StepKernels::StepKernels(const StepOptions& options) : options_(options) {
  for (size_t i = 0; i < kNames.size(); ++i)
    simgpuRegisterKernel(&host_functions[i], kNames[i]);
  SIMGPU_CHECK(cudaStreamCreateWithFlags(&stream_, kStreamNonBlocking));
  options_.is_graph = options.is_graph || options.is_graph_made_each_step;
}

void StepKernels::LaunchOne(int index) {
  BurnCpuNs(static_cast<int64_t>(options_.launch_gap_us * 1e3));
  auto duration_ns = static_cast<uint64_t>(options_.kernel_us * 1e3);
  void* arguments[] = {&duration_ns};
  const void* function = &host_functions[static_cast<size_t>(index) % kNames.size()];
  SIMGPU_CHECK(cudaLaunchKernel(function, {}, {.x = 256}, arguments, 0, stream_));
}

void StepKernels::LaunchEach() {
  for (int i = 0; i < options_.kernels; ++i) {
    void* scratch = nullptr;
    if (i < options_.mallocs) SIMGPU_CHECK(cudaMalloc(&scratch, kScratchBytes));
    LaunchOne(i);
    if (i < options_.mallocs) SIMGPU_CHECK(cudaFree(scratch));
    const int every = options_.sync_every_kernels;
    if (every > 0 && (i + 1) % every == 0) SIMGPU_CHECK(cudaStreamSynchronize(stream_));
  }
}

void StepKernels::MakeGraph() {
  cudaGraph_t graph = nullptr;
  SIMGPU_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < options_.kernels; ++i)
    LaunchOne(i);
  SIMGPU_CHECK(cudaStreamEndCapture(stream_, &graph));
  if (graph_ != nullptr) SIMGPU_CHECK(cudaGraphExecDestroy(graph_));
  SIMGPU_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
  SIMGPU_CHECK(cudaGraphDestroy(graph));
}

void StepKernels::LaunchGraph() {
  if (graph_ == nullptr || options_.is_graph_made_each_step) MakeGraph();
  SIMGPU_CHECK(cudaGraphLaunch(graph_, stream_));
}

void StepKernels::LaunchStep() {
  if (options_.is_graph) {
    LaunchGraph();
  } else {
    LaunchEach();
  }
}

}  // namespace gpuwhy::simgpu
