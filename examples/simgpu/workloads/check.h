// SPDX-License-Identifier: Apache-2.0
// A failed call of the simulated libraries ends the workload: nothing it would measure is worth
// anything then.
#pragma once

#include <cstdio>
#include <cstdlib>

#define SIMGPU_CHECK(call)                                                                 \
  do {                                                                                     \
    if (const int simgpu_code = static_cast<int>(call); simgpu_code != 0) {                \
      std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, simgpu_code); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (false)
