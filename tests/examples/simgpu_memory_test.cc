// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"

namespace gpuwhy {

TEST_CASE("simgpu: a free waits for the device", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    void* memory = DeviceMemory(4096);
    LaunchOn(MakeStream(), "kernel", 30 * kSimMs);
    return {cudaFree(memory)};
  });

  CHECK(numbers == Numbers{cudaSuccess});
  CHECK(truth.CallOf("cudaFree").exit_ns >= truth.OpOf("kernel").end_ns);
}

TEST_CASE("simgpu: neither an allocation nor a free of the stream's pool waits", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    cudaStream_t stream = MakeStream();
    void* memory = nullptr;
    const int64_t made = cudaMallocAsync(&memory, 4096, stream);
    LaunchOn(stream, "long", kNearlyForever);
    DeviceMemory(4096);
    return {made, cudaFreeAsync(memory, stream), cudaFreeAsync(memory, stream)};
  });

  CHECK(numbers == Numbers{cudaSuccess, cudaSuccess, cudaErrorInvalidValue});
  CHECK(truth.CallsOf("cudaFreeAsync").at(0).exit_ns < truth.OpOf("long").end_ns);
  CHECK(truth.CallOf("cudaMalloc").exit_ns < truth.OpOf("long").end_ns);
}

TEST_CASE("simgpu: memory is limited, and given back by a free", "[simgpu]") {
  const auto [numbers, truth] = InProcess(
      []() -> Numbers {
        void* first = nullptr;
        void* second = nullptr;
        const int64_t fits = cudaMalloc(&first, 6000);
        const int64_t too_much = cudaMalloc(&second, 6000);
        const int64_t last = cudaGetLastError();
        cudaFree(first);
        return {fits, too_much, last, cudaGetLastError(), cudaMalloc(&second, 6000)};
      },
      {{"SIMGPU_MEMORY_BYTES", "10000"}});

  CHECK(numbers == Numbers{cudaSuccess, cudaErrorMemoryAllocation, cudaErrorMemoryAllocation,
                           cudaSuccess, cudaSuccess});
}

TEST_CASE("simgpu: the CPU time of a call is that of the environment", "[simgpu]") {
  const auto [numbers, truth] = InProcess(
      []() -> Numbers {
        DeviceMemory(1);
        return {LaunchOn(nullptr, "kernel", 0)};
      },
      {{"SIMGPU_MALLOC_NS", "30000000"},
       {"SIMGPU_CONTEXT_NS", "20000000"},
       {"SIMGPU_FIRST_LAUNCH_NS", "10000000"}});
  const auto elapsed_ns = [&truth = truth](const char* name) {
    const TrueCall call = truth.CallOf(name);
    return call.exit_ns - call.entry_ns;
  };

  CHECK(elapsed_ns("cuMemAlloc_v2") >= 30'000'000);
  CHECK(elapsed_ns("cudaMalloc") >= 50'000'000);
  CHECK(elapsed_ns("cuDevicePrimaryCtxRetain") >= 20'000'000);
  CHECK(elapsed_ns("cudaLaunchKernel") >= 10'000'000);
}

TEST_CASE("simgpu: processes allocate one at a time under the driver lock", "[simgpu]") {
  const std::string lock = "gpuwhy-test-" + std::to_string(getpid());
  const Environment environment{{"SIMGPU_DRIVER_LOCK", lock}, {"SIMGPU_MALLOC_NS", "40000000"}};
  const auto body = []() -> Numbers {
    for (int i = 0; i < 3; ++i)
      DeviceMemory(4096);
    return {};
  };
  SimProcess first(body, environment);
  SimProcess second(body, environment);
  const auto first_calls = first.Wait().truth.CallsOf("cuMemAlloc_v2");
  const auto second_calls = second.Wait().truth.CallsOf("cuMemAlloc_v2");
  unlink(("/dev/shm/" + lock).c_str());

  const int64_t start_ns = std::min(first_calls.at(0).entry_ns, second_calls.at(0).entry_ns);
  const int64_t end_ns = std::max(first_calls.at(2).exit_ns, second_calls.at(2).exit_ns);
  CHECK(end_ns - start_ns >= int64_t{6} * 40'000'000);
}

}  // namespace gpuwhy
