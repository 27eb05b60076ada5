// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/graphs.h"

#include <atomic>
#include <utility>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/handles.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

std::atomic<int64_t> generation{0};
std::atomic<int> strict_capture_count{0};

Handles<Graph>& Graphs() {
  static auto& graphs = *new Handles<Graph>();
  return graphs;
}

// An executable graph is a copy of its graph.
Handles<Graph>& Execs() {
  static auto& execs = *new Handles<Graph>();
  return execs;
}

void Run(Stream& stream, const Work& work, const Move& move) {
  Moves::Get().Add(move);
  const OpRef op = Device::Get().Submit(stream, work);
  if (work.engine == EngineKind::kCompute) Device::Get().CountInQueue(op);
}

}  // namespace

CUresult BeginCapture(Stream& stream, cudaStreamCaptureMode mode) {
  if (&stream == &Device::Get().legacy()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream.capture != nullptr || mode < 0 || mode > cudaStreamCaptureModeRelaxed)
    return CUDA_ERROR_INVALID_VALUE;
  const bool is_relaxed = mode == cudaStreamCaptureModeRelaxed;
  if (!is_relaxed) ++strict_capture_count;
  stream.capture = std::make_shared<Capture>(
      Capture{.graph = {}, .generation = generation, .is_relaxed = is_relaxed});
  return CUDA_SUCCESS;
}

CUresult EndCapture(Stream& stream, CUgraph* graph) {
  if (stream.capture == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto capture = std::exchange(stream.capture, nullptr);
  *graph = nullptr;
  if (!capture->is_relaxed) --strict_capture_count;
  if (capture->generation != generation) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  const auto made = std::make_shared<Graph>(std::move(capture->graph));
  Graphs().Add(made);
  *graph = reinterpret_cast<CUgraph>(made.get());
  return CUDA_SUCCESS;
}

CUresult RefuseInCapture(CUresult code) {
  if (strict_capture_count == 0) return CUDA_SUCCESS;
  ++generation;
  return code;
}

CUresult RefuseOnCaptured(const Stream& stream) {
  if (stream.capture == nullptr) return CUDA_SUCCESS;
  ++generation;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult Instantiate(CUgraph graph, CUgraphExec* exec) {
  const auto found = Graphs().Find(graph);
  if (found == nullptr || exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  BurnCpuNs(GetSettings().graph_node_ns * static_cast<int64_t>(found->nodes.size()));
  const auto made = std::make_shared<Graph>(*found);
  Execs().Add(made);
  *exec = reinterpret_cast<CUgraphExec>(made.get());
  return CUDA_SUCCESS;
}

CUresult LaunchGraph(CUgraphExec exec, Stream& stream) {
  const auto found = Execs().Find(exec);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  BurnCpuNs(GetSettings().launch_ns);
  if (stream.capture == nullptr) Device::Get().WaitForQueueSlot();
  for (const Node& node : found->nodes)
    Enqueue(stream, node.work, node.move);
  return CUDA_SUCCESS;
}

CUresult DestroyGraph(CUgraph graph) {
  return Graphs().Remove(graph) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult DestroyExec(CUgraphExec exec) {
  return Execs().Remove(exec) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

void Enqueue(Stream& stream, Work work, Move move) {
  if (stream.capture != nullptr) {
    stream.capture->graph.nodes.push_back({.work = std::move(work), .move = std::move(move)});
  } else {
    Run(stream, work, move);
  }
}

}  // namespace gpuwhy::simgpu
