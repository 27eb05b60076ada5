// SPDX-License-Identifier: Apache-2.0
// Stream capture and graphs: a list of nodes that run one after the other. A captured stream
// submits nothing. Capture of several streams that join is not simulated: event calls on a
// captured stream are refused. Any thread.
#pragma once

#include <memory>
#include <vector>

#include "examples/simgpu/core/device.h"
#include "examples/simgpu/core/moves.h"
#include "examples/simgpu/cuda_abi.h"

namespace gpuwhy::simgpu {

struct Node {
  Work work;
  Move move;
};

struct Graph {
  std::vector<Node> nodes;
};

struct Capture {
  Graph graph;
  int64_t generation = 0;  // that of its begin; a forbidden call makes a new one
  bool is_relaxed = false;
};

SIMGPU_SHARED CUresult BeginCapture(Stream& stream, cudaStreamCaptureMode mode);
SIMGPU_SHARED CUresult EndCapture(Stream& stream, CUgraph* graph);
// For calls that a capture forbids: `code`, and the captures in work become invalid.
SIMGPU_SHARED CUresult RefuseInCapture(CUresult code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
// The same where this stream is captured.
SIMGPU_SHARED CUresult RefuseOnCaptured(const Stream& stream);

SIMGPU_SHARED CUresult Instantiate(CUgraph graph, CUgraphExec* exec);
SIMGPU_SHARED CUresult LaunchGraph(CUgraphExec exec, Stream& stream);
SIMGPU_SHARED CUresult DestroyGraph(CUgraph graph);
SIMGPU_SHARED CUresult DestroyExec(CUgraphExec exec);

// Into the stream, or into its capture.
SIMGPU_SHARED void Enqueue(Stream& stream, Work work, Move move);

}  // namespace gpuwhy::simgpu
