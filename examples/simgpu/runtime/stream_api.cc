// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12: streams, events, capture and graphs.
#include "examples/simgpu/driver/libcuda.h"
#include "examples/simgpu/runtime/libcudart.h"
#include "examples/simgpu/runtime/runtime_call.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

SIMGPU_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return RuntimeCall("cudaStreamCreate", {}, [=] { return cuStreamCreate(stream, 0); });
}

SIMGPU_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return RuntimeCall("cudaStreamCreateWithFlags", {},
                     [=] { return cuStreamCreate(stream, flags); });
}

SIMGPU_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return RuntimeCall("cudaStreamDestroy", {.stream = stream},
                     [=] { return cuStreamDestroy_v2(stream); });
}

SIMGPU_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return RuntimeCall("cudaStreamSynchronize", {.stream = stream},
                     [=] { return cuStreamSynchronize(stream); });
}

SIMGPU_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return RuntimeCall("cudaStreamSynchronize_ptsz", {.stream = OrPerThread(stream)},
                     [=] { return cuStreamSynchronize_ptsz(stream); });
}

SIMGPU_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return RuntimeCall("cudaStreamQuery", {.stream = stream}, [=] { return cuStreamQuery(stream); });
}

SIMGPU_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return RuntimeCall("cudaStreamWaitEvent", {.stream = stream},
                     [=] { return cuStreamWaitEvent(stream, event, flags); });
}

SIMGPU_API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return RuntimeCall("cudaEventCreate", {}, [=] { return cuEventCreate(event, 0); });
}

SIMGPU_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return RuntimeCall("cudaEventCreateWithFlags", {}, [=] { return cuEventCreate(event, flags); });
}

SIMGPU_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return RuntimeCall("cudaEventDestroy", {}, [=] { return cuEventDestroy_v2(event); });
}

SIMGPU_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return RuntimeCall("cudaEventRecord", {.stream = stream},
                     [=] { return cuEventRecord(event, stream); });
}

SIMGPU_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return RuntimeCall("cudaEventSynchronize", {}, [=] { return cuEventSynchronize(event); });
}

SIMGPU_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return RuntimeCall("cudaEventQuery", {}, [=] { return cuEventQuery(event); });
}

SIMGPU_API cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return RuntimeCall("cudaEventElapsedTime", {},
                     [=] { return cuEventElapsedTime(ms, start, end); });
}

SIMGPU_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return RuntimeCall("cudaStreamBeginCapture", {.stream = stream},
                     [=] { return cuStreamBeginCapture_v2(stream, mode); });
}

SIMGPU_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return RuntimeCall("cudaStreamEndCapture", {.stream = stream},
                     [=] { return cuStreamEndCapture(stream, graph); });
}

SIMGPU_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                            unsigned long long flags) {
  return RuntimeCall("cudaGraphInstantiate", {},
                     [=] { return cuGraphInstantiateWithFlags(exec, graph, flags); });
}

SIMGPU_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return RuntimeCall("cudaGraphLaunch", {.kind = "graph", .stream = stream},
                     [=] { return cuGraphLaunch(exec, stream); });
}

SIMGPU_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return RuntimeCall("cudaGraphExecDestroy", {}, [=] { return cuGraphExecDestroy(exec); });
}

SIMGPU_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return RuntimeCall("cudaGraphDestroy", {}, [=] { return cuGraphDestroy(graph); });
}
