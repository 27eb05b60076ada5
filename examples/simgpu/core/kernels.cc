// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/core/kernels.h"

#include <map>
#include <sstream>
#include <string>

#include "examples/simgpu/core/clock.h"
#include "examples/simgpu/core/graphs.h"
#include "examples/simgpu/core/handles.h"
#include "examples/simgpu/core/settings.h"

namespace gpuwhy::simgpu {
namespace {

struct Module {
  std::map<std::string, const std::string*> kernels;
};

Handles<Module>& Modules() {
  static auto& modules = *new Handles<Module>();
  return modules;
}

// By the address of the name, which is never freed: rows of the log point to it.
Handles<const std::string>& Kernels() {
  static auto& kernels = *new Handles<const std::string>();
  return kernels;
}

const std::string* AddKernel(const std::string& name) {
  const auto kept = std::shared_ptr<const std::string>(new std::string(name), [](auto*) {});
  Kernels().Add(kept);
  return kept.get();
}

int64_t DurationNs(void* const* arguments) {
  if (arguments == nullptr || arguments[0] == nullptr) return 0;
  const auto duration_ns = *static_cast<const uint64_t*>(arguments[0]);
  return static_cast<int64_t>(std::min<uint64_t>(duration_ns, INT64_MAX / 4));
}

}  // namespace

CUresult LoadImage(const void* image, const void** module) {
  if (image == nullptr || module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  BurnCpuNs(GetSettings().first_launch_ns);
  const auto made = std::make_shared<Module>();
  std::istringstream names(static_cast<const char*>(image));
  for (std::string name; std::getline(names, name);)
    made->kernels[name] = AddKernel(name);
  Modules().Add(made);
  *module = made.get();
  return CUDA_SUCCESS;
}

CUresult UnloadImage(const void* module) {
  return Modules().Remove(module) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult FindKernel(const void* module, const char* name, const void** kernel) {
  const auto found = Modules().Find(module);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (name == nullptr || kernel == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto entry = found->kernels.find(name);
  if (entry == found->kernels.end()) return CUDA_ERROR_NOT_FOUND;
  *kernel = entry->second;
  return CUDA_SUCCESS;
}

bool IsSaneShape(dim3 grid, dim3 block) {
  constexpr uint64_t kMostThreads = 1024;
  const auto threads = uint64_t{block.x} * block.y * block.z;
  return grid.x > 0 && grid.y > 0 && grid.z > 0 && threads > 0 && threads <= kMostThreads;
}

CUresult LaunchKernel(const Launch& launch, Stream& stream) {
  const auto kernel = Kernels().Find(launch.kernel);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!IsSaneShape(launch.grid, launch.block)) return CUDA_ERROR_INVALID_VALUE;
  BurnCpuNs(GetSettings().launch_ns);
  if (stream.capture == nullptr) Device::Get().WaitForQueueSlot();
  const Work work{.engine = EngineKind::kCompute,
                  .duration_ns = DurationNs(launch.arguments),
                  .name = kernel->c_str()};
  Enqueue(stream, work, nullptr);
  return CUDA_SUCCESS;
}

}  // namespace gpuwhy::simgpu
