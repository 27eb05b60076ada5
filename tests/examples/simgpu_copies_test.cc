// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"

namespace gpuwhy {
namespace {

constexpr size_t kBytes = size_t{4} << 20;

}  // namespace

TEST_CASE("simgpu: a pageable copy holds the caller, a pinned one does not", "[simgpu]") {
  const auto [numbers, truth] = InProcess(
      []() -> Numbers {
        void* device = DeviceMemory(kBytes);
        cudaStream_t stream = MakeStream();
        const std::string pageable(kBytes, 'p');
        void* pinned = PinnedMemory(kBytes);
        cudaMemcpyAsync(device, pageable.data(), kBytes, cudaMemcpyHostToDevice, stream);
        cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream);
        return {};
      },
      {{"SIMGPU_PAGEABLE_BYTES_PER_S", "100000000"}, {"SIMGPU_H2D_BYTES_PER_S", "1000"}});
  const auto calls = truth.CallsOf("cudaMemcpyAsync");

  REQUIRE(calls.size() == 2);
  CHECK(calls[0].kind == "h2d_pageable");
  CHECK(calls[0].exit_ns - calls[0].entry_ns >= int64_t{kBytes} * 10);
  CHECK(calls[1].kind == "h2d_pinned");
  CHECK(calls[1].exit_ns < truth.ops.at(1).end_ns);
  CHECK(truth.ops.at(1).start_ns == truth.ops.at(0).end_ns);
}

TEST_CASE("simgpu: a copy without Async from pinned memory, and each one to the host, waits",
          "[simgpu]") {
  const auto [numbers, truth] = InProcess(
      []() -> Numbers {
        void* device = DeviceMemory(kBytes);
        std::string pageable(kBytes, 'p');
        cudaMemcpy(device, PinnedMemory(kBytes), kBytes, cudaMemcpyHostToDevice);
        cudaMemcpy(pageable.data(), device, kBytes, cudaMemcpyDeviceToHost);
        cudaMemcpyAsync(pageable.data(), device, kBytes, cudaMemcpyDeviceToHost, MakeStream());
        return {};
      },
      {{"SIMGPU_H2D_BYTES_PER_S", "200000000"}, {"SIMGPU_D2H_BYTES_PER_S", "200000000"}});

  REQUIRE(truth.ops.size() == 3);
  CHECK(truth.CallsOf("cudaMemcpy").at(0).exit_ns >= truth.ops[0].end_ns);
  CHECK(truth.CallsOf("cudaMemcpy").at(1).exit_ns >= truth.ops[1].end_ns);
  CHECK(truth.CallOf("cudaMemcpyAsync").exit_ns >= truth.ops[2].end_ns);
  CHECK(truth.ops[2].engine == "d2h");
}

TEST_CASE("simgpu: bytes arrive, in the order of the copies", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    auto* pinned = static_cast<char*>(PinnedMemory(64));
    auto* result = static_cast<char*>(PinnedMemory(64));
    void* first = DeviceMemory(64);
    void* second = DeviceMemory(64);
    cudaStream_t stream = MakeStream();
    std::memset(pinned, 'a', 64);
    cudaMemcpyAsync(first, pinned, 64, cudaMemcpyHostToDevice, stream);
    cudaMemsetAsync(first, 'b', 32, stream);
    cudaMemcpyAsync(second, first, 64, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(result, second, 64, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    return {result[0], result[31], result[32], result[63]};
  });

  CHECK(numbers == Numbers{'b', 'b', 'a', 'a'});
}

TEST_CASE("simgpu: a pitched copy takes the rows and leaves what is between", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    char from[] = "ab..cd..";
    char to[] = "------";
    void* device = DeviceMemory(8);
    cudaMemcpy(device, from, 8, cudaMemcpyHostToDevice);
    const int64_t code = cudaMemcpy2D(to, 3, device, 4, 2, 2, cudaMemcpyDeviceToHost);
    return {code, std::string(to) == "ab-cd-"};
  });

  CHECK(numbers == Numbers{cudaSuccess, true});
  CHECK(truth.CallOf("cudaMemcpy2D").bytes == 4);
}

TEST_CASE("simgpu: registered memory is pinned, until it is not", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    std::string memory(4096, 'r');
    void* device = DeviceMemory(4096);
    const int64_t once = cudaHostRegister(memory.data(), 4096, 0);
    const int64_t twice = cudaHostRegister(memory.data() + 100, 100, 0);
    cudaMemcpyAsync(device, memory.data(), 4096, cudaMemcpyHostToDevice, nullptr);
    const int64_t off = cudaHostUnregister(memory.data());
    const int64_t off_again = cudaHostUnregister(memory.data());
    cudaMemcpyAsync(device, memory.data(), 4096, cudaMemcpyHostToDevice, nullptr);
    return {once, twice, off, off_again};
  });

  CHECK(numbers == Numbers{cudaSuccess, cudaErrorHostMemoryAlreadyRegistered, cudaSuccess,
                           cudaErrorHostMemoryNotRegistered});
  CHECK(truth.CallsOf("cudaMemcpyAsync").at(0).kind == "h2d_pinned");
  CHECK(truth.CallsOf("cudaMemcpyAsync").at(1).kind == "h2d_pageable");
}

}  // namespace gpuwhy
