// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1: capture and graphs.
#include "examples/simgpu/core/graphs.h"
#include "examples/simgpu/driver/driver_call.h"
#include "examples/simgpu/driver/libcuda.h"

using namespace gpuwhy::simgpu;  // NOLINT: the exported functions are C

SIMGPU_API CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  return StreamCall("cuStreamBeginCapture_v2", {}, stream, [=](Stream& on) {
    return BeginCapture(on, static_cast<cudaStreamCaptureMode>(mode));
  });
}

SIMGPU_API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return StreamCall("cuStreamEndCapture", {}, stream,
                    [=](Stream& on) { return EndCapture(on, graph); });
}

SIMGPU_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph,
                                                unsigned long long) {
  return DriverCall("cuGraphInstantiateWithFlags", {}, [=] { return Instantiate(graph, exec); });
}

SIMGPU_API CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return StreamCall("cuGraphLaunch", {.kind = "graph"}, stream,
                    [=](Stream& on) { return LaunchGraph(exec, on); });
}

SIMGPU_API CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return DriverCall("cuGraphExecDestroy", {}, [=] { return DestroyExec(exec); });
}

SIMGPU_API CUresult cuGraphDestroy(CUgraph graph) {
  return DriverCall("cuGraphDestroy", {}, [=] { return DestroyGraph(graph); });
}
