// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"

namespace gpuwhy {
namespace {

cudaGraph_t CaptureThree(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (const char* name : {"one", "two", "three"})
    LaunchOn(stream, name, kSimMs);
  cudaStreamEndCapture(stream, &graph);
  return graph;
}

}  // namespace

TEST_CASE("simgpu: a captured stream runs nothing, its graph runs each node", "[simgpu]") {
  const auto [numbers, truth] = InProcess(
      []() -> Numbers {
        cudaStream_t stream = MakeStream();
        cudaGraphExec_t exec = nullptr;
        const cudaGraph_t graph = CaptureThree(stream);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        LaunchOn(stream, "before", 1);
        const int64_t launched = cudaGraphLaunch(exec, stream);
        return {launched, cudaStreamSynchronize(stream)};
      },
      {{"SIMGPU_GRAPH_NODE_NS", "5000000"}});

  CHECK(numbers == Numbers{cudaSuccess, cudaSuccess});
  REQUIRE(truth.ops.size() == 4);
  CHECK(truth.ops[0].name == "before");
  CHECK(truth.ops[1].start_ns == truth.OpOf("one").start_ns);
  CHECK(truth.OpOf("two").start_ns == truth.OpOf("one").end_ns);
  CHECK(truth.OpOf("three").start_ns == truth.OpOf("two").end_ns);
  const TrueCall made = truth.CallOf("cudaGraphInstantiate");
  CHECK(made.exit_ns - made.entry_ns >= 15'000'000);
}

TEST_CASE("simgpu: a call that capture forbids fails and spoils the capture", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    cudaStream_t stream = MakeStream();
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    LaunchOn(stream, "captured", kSimMs);
    const int64_t refused = cudaStreamSynchronize(stream);
    return {refused, cudaStreamEndCapture(stream, &graph), graph == nullptr,
            cudaStreamSynchronize(stream),
            cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal)};
  });

  CHECK(numbers == Numbers{cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureInvalidated,
                           true, cudaSuccess, cudaErrorStreamCaptureUnsupported});
  CHECK(truth.ops.empty());
}

}  // namespace gpuwhy
