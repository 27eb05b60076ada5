// SPDX-License-Identifier: Apache-2.0
// The device work of a step: kernels, launched one by one or as a graph, with what the options put
// around them. Used by one thread.
#pragma once

#include "examples/simgpu/cuda_abi.h"
#include "examples/simgpu/workloads/options.h"

namespace gpuwhy::simgpu {

class StepKernels {
 public:
  explicit StepKernels(const StepOptions& options);

  void LaunchStep();
  cudaStream_t stream() const { return stream_; }

 private:
  void LaunchOne(int index);
  void LaunchEach();
  void MakeGraph();
  void LaunchGraph();

  StepOptions options_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace gpuwhy::simgpu
