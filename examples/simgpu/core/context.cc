// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/context.h"

#include <pthread.h>

#include <atomic>
#include <mutex>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

std::atomic<bool> is_initialised{false};
std::atomic<bool> is_broken_by_fork{false};
std::atomic<bool> has_context{false};
char context_object;

void BreakChild() {
  is_broken_by_fork = is_initialised.load();
}

}  // namespace

CUresult InitDriver() {
  if (is_broken_by_fork) return CUDA_ERROR_NOT_INITIALIZED;
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(nullptr, nullptr, &BreakChild);
    is_initialised = true;
  });
  return CUDA_SUCCESS;
}

CUresult RequireDriver() {
  const bool is_usable = is_initialised && !is_broken_by_fork;
  return is_usable ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult MakeContext(CUcontext* context) {
  static std::once_flag once;
  std::call_once(once, [] {
    BurnCpuNs(GetSettings().context_ns);
    has_context = true;
  });
  *context = reinterpret_cast<CUcontext>(&context_object);
  return CUDA_SUCCESS;
}

CUresult RequireContext() {
  const CUresult code = RequireDriver();
  if (code != CUDA_SUCCESS) return code;
  return has_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace gpuwhy::simgpu
