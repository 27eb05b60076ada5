// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/ebpf/odd_runtime.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include "tests/collectors/ebpf/recorded.h"

namespace gpuwhy {

OddRuntime OddRuntime::Load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW);
  if (library == nullptr) _exit(3);
  OddRuntime runtime;
  runtime.stream_query =
      reinterpret_cast<decltype(runtime.stream_query)>(dlsym(library, "cudaStreamQuery"));
  runtime.launch_host_func =
      reinterpret_cast<decltype(runtime.launch_host_func)>(dlsym(library, "cudaLaunchHostFunc"));
  CallUntilRecorded([&] { runtime.stream_query(nullptr); });
  return runtime;
}

std::string CopyOddRuntime(const std::string& directory) {
  std::filesystem::create_directories(directory);
  std::string path = directory + "/libcudart.so.12";
  std::filesystem::copy_file(GPUWHY_ODD_RUNTIME, path);
  return path;
}

}  // namespace gpuwhy
