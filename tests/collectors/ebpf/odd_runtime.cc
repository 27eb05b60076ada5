// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/ebpf/odd_runtime.h"

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>

#include "examples/simgpu/core/clock.h"

namespace gpuwhy {
namespace {

// x86: int3. On arm64 the first bytes of the function change to another instruction.
bool IsProbed(const void* function) {
  return *static_cast<const volatile unsigned char*>(function) == 0xcc;
}

void AwaitProbe(const void* function) {
  const int64_t deadline_ns = simgpu::NowNs() + 30'000'000'000;
  while (!IsProbed(function)) {
    if (simgpu::NowNs() > deadline_ns) _exit(4);
    poll(nullptr, 0, 1);
  }
}

}  // namespace

OddRuntime OddRuntime::Load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) _exit(3);
  OddRuntime runtime;
  runtime.stream_query =
      reinterpret_cast<decltype(runtime.stream_query)>(dlsym(library, "cudaStreamQuery"));
  runtime.launch_host_func =
      reinterpret_cast<decltype(runtime.launch_host_func)>(dlsym(library, "cudaLaunchHostFunc"));
  // Returns are probed before entries; calls until both are there are told as returns alone.
  AwaitProbe(reinterpret_cast<const void*>(runtime.stream_query));
  for (int i = 0; i < 200; ++i) {
    runtime.stream_query(nullptr);
    poll(nullptr, 0, 1);
  }
  return runtime;
}

std::string CopyOddRuntime(const std::string& directory) {
  std::filesystem::create_directories(directory);
  std::string path = directory + "/libcudart.so.12";
  std::filesystem::copy_file(GPUWHY_ODD_RUNTIME, path);
  return path;
}

}  // namespace gpuwhy
