// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/driver_lock.h"
#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"

namespace gpuwhy {
namespace {

// 'S' asleep, 'Z' ended. "1234 (name) S ..."
char StateOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t end_of_name = line.rfind(')');
  REQUIRE(end_of_name != std::string::npos);
  return line.at(end_of_name + 2);
}

}  // namespace

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

TEST_CASE("simgpu: an allocation waits for the driver lock of another process, until that dies",
          "[simgpu]") {
  const std::string name = "gpuwhy-test-" + std::to_string(getpid());
  const Environment environment{{"SIMGPU_DRIVER_LOCK", name}};
  const TempDir dir;
  SimProcess holder(
      [&dir]() -> Numbers {
        const simgpu::DriverLock lock;
        std::ofstream(dir.File("held")).put('h');
        for (;;)
          pause();
      },
      environment);
  WaitUntil([&dir] { return std::filesystem::exists(dir.File("held")); });
  SimProcess process([]() -> Numbers { return {DeviceMemory(4096) != nullptr}; }, environment);
  WaitUntil([&process] { return StateOf(process.pid()) == 'S'; });
  const int64_t freed_ns = simgpu::NowNs();
  kill(holder.pid(), SIGKILL);
  waitpid(holder.pid(), nullptr, 0);
  const auto [numbers, truth] = process.Wait();
  unlink(("/dev/shm/" + name).c_str());

  CHECK(numbers == Numbers{true});
  CHECK(truth.CallOf("cuMemAlloc_v2").entry_ns < freed_ns);
  CHECK(truth.CallOf("cuMemAlloc_v2").exit_ns > freed_ns);
}

}  // namespace gpuwhy
