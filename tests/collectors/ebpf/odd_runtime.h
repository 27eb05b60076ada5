// SPDX-License-Identifier: Apache-2.0
// The library of tests/support/libraries/odd_runtime.c, loaded while a process runs. A call made
// before the recorder has seen the library is not recorded, so Load waits until the kernel has put
// its breakpoint on the function.
#pragma once

#include <string>

namespace gpuwhy {

struct OddRuntime {
  int (*stream_query)(void*) = nullptr;
  int (*launch_host_func)(void*, void (*)(void*), void*) = nullptr;

  // Exits with 3 where it cannot be loaded, with 4 when nobody probes it within half a minute.
  static OddRuntime Load(const std::string& path);
};

// A copy in this directory, named as the CUDA runtime is.
std::string CopyOddRuntime(const std::string& directory);

}  // namespace gpuwhy
