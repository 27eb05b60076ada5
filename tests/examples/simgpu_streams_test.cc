// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.h"
#include "tests/examples/sim_calls.h"
#include "tests/examples/sim_process.h"

namespace gpuwhy {

TEST_CASE("simgpu: a launch returns before its kernel ends", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    return {LaunchOn(nullptr, "long", kNearlyForever), cudaStreamQuery(nullptr)};
  });

  CHECK(numbers == Numbers{cudaSuccess, cudaErrorNotReady});
  CHECK(truth.CallOf("cudaLaunchKernel").exit_ns < truth.OpOf("long").end_ns);
  CHECK(truth.OpOf("long").end_ns - truth.OpOf("long").start_ns ==
        static_cast<int64_t>(kNearlyForever));
}

TEST_CASE("simgpu: each synchronisation waits until the end of what it is for", "[simgpu]") {
  using Sync = cudaError_t (*)(cudaStream_t);
  const auto [name, sync] = GENERATE(table<const char*, Sync>({
      {"cudaDeviceSynchronize", [](cudaStream_t) { return cudaDeviceSynchronize(); }},
      {"cudaStreamSynchronize", [](cudaStream_t stream) { return cudaStreamSynchronize(stream); }},
      {"cudaEventSynchronize",
       [](cudaStream_t stream) {
         cudaEvent_t event = MakeEvent();
         cudaEventRecord(event, stream);
         return cudaEventSynchronize(event);
       }},
  }));
  const auto [numbers, truth] = InProcess([sync = sync]() -> Numbers {
    cudaStream_t stream = MakeStream();
    LaunchOn(stream, "kernel", 30 * kSimMs);
    return {sync(stream), cudaStreamQuery(stream)};
  });

  CHECK(numbers == Numbers{cudaSuccess, cudaSuccess});
  CHECK(truth.CallOf(name).exit_ns >= truth.OpOf("kernel").end_ns);
}

TEST_CASE("simgpu: kernels of a stream run one after the other", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    cudaStream_t stream = MakeStream();
    LaunchOn(stream, "first", 5 * kSimMs);
    return {LaunchOn(stream, "second", kSimMs)};
  });

  CHECK(truth.OpOf("second").start_ns >= truth.OpOf("first").end_ns);
}

TEST_CASE("simgpu: streams that do not block leave each other alone", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    cudaStream_t copies = MakeStream();
    void* device = DeviceMemory(4096);
    void* host = PinnedMemory(4096);
    LaunchOn(MakeStream(), "long", kNearlyForever);
    cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, copies);
    return {cudaStreamSynchronize(copies)};
  });

  CHECK(truth.OpOf("memcpy h2d").end_ns < truth.OpOf("long").end_ns);
}

TEST_CASE("simgpu: a stream waits for an event of another one", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    cudaStream_t compute = MakeStream();
    cudaStream_t copies = MakeStream();
    void* device = DeviceMemory(4096);
    void* host = PinnedMemory(4096);
    cudaEvent_t event = MakeEvent();
    LaunchOn(compute, "kernel", kNearlyForever);
    cudaEventRecord(event, compute);
    cudaStreamWaitEvent(copies, event, 0);
    cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, copies);
    return {cudaEventQuery(event)};
  });

  CHECK(numbers == Numbers{cudaErrorNotReady});
  CHECK(truth.OpOf("memcpy h2d").start_ns == truth.OpOf("kernel").end_ns);
}

TEST_CASE("simgpu: the legacy default stream waits for blocking streams and they for it",
          "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    void* device = DeviceMemory(4096);
    void* host = PinnedMemory(4096);
    LaunchOn(MakeStream(0), "blocking", kNearlyForever);
    cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, nullptr);
    LaunchOn(MakeStream(0), "later", 1);
    LaunchOn(MakeStream(), "beside", 1);
    return {};
  });

  CHECK(truth.OpOf("memcpy h2d").start_ns == truth.OpOf("blocking").end_ns);
  CHECK(truth.OpOf("later").start_ns == truth.OpOf("memcpy h2d").end_ns);
}

TEST_CASE("simgpu: the default stream of a thread is not the legacy one", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    uint64_t duration_ns = kNearlyForever;
    void* arguments[] = {&duration_ns};
    cudaLaunchKernel_ptsz(Kernel("own"), {}, {}, arguments, 0, nullptr);
    return {cudaStreamQuery(reinterpret_cast<cudaStream_t>(kPerThreadStreamHandle)),
            cudaStreamSynchronize(MakeStream())};
  });

  CHECK(numbers == Numbers{cudaErrorNotReady, cudaSuccess});
  CHECK(truth.OpOf("own").stream == "0x2");
  CHECK(truth.CallOf("cuLaunchKernel_ptsz").stream == "0x2");
}

TEST_CASE("simgpu: the time between two events is that of the work between", "[simgpu]") {
  const auto [numbers, truth] = InProcess([]() -> Numbers {
    cudaEvent_t start = MakeEvent();
    cudaEvent_t end = MakeEvent();
    cudaStream_t stream = MakeStream();
    LaunchOn(stream, "before", 20 * kSimMs);
    cudaEventRecord(start, stream);
    LaunchOn(stream, "between", 7 * kSimMs);
    cudaEventRecord(end, stream);
    float ms = 0;
    const cudaError_t early = cudaEventElapsedTime(&ms, start, end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, start, end);
    return {early, static_cast<int64_t>(ms * 1000)};
  });

  // The machine may have been slow to launch: then it is more.
  CHECK(numbers.at(1) >= 7000);
  CHECK((numbers.at(0) == cudaErrorNotReady || numbers.at(0) == cudaSuccess));
}

TEST_CASE("simgpu: a launch waits while the queue is full", "[simgpu]") {
  const auto [numbers, truth] = InProcess(
      []() -> Numbers {
        cudaStream_t stream = MakeStream();
        for (const char* name : {"one", "two", "three"})
          LaunchOn(stream, name, 10 * kSimMs);
        return {};
      },
      {{"SIMGPU_QUEUE_DEPTH", "2"}});

  CHECK(truth.CallsOf("cudaLaunchKernel").at(2).exit_ns >= truth.OpOf("one").end_ns);
}

}  // namespace gpuwhy
