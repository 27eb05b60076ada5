// SPDX-License-Identifier: Apache-2.0
// The library of tests/support/libraries/odd_runtime.c, loaded while a process runs. A call made
// before the recorder has seen the library is not recorded, so Load waits until one is.
#pragma once

#include <string>

namespace gpuwhy {

struct OddRuntime {
  int (*stream_query)(void*) = nullptr;
  int (*launch_host_func)(void*, void (*)(void*), void*) = nullptr;

  // In the body of Record only. Exits with 3 where it cannot be loaded.
  static OddRuntime Load(const std::string& path);
};

// A copy in this directory, named as the CUDA runtime is.
std::string CopyOddRuntime(const std::string& directory);

}  // namespace gpuwhy
