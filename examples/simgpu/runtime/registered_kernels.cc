// SPDX-License-Identifier: Apache-2.0
#include "examples/simgpu/runtime/registered_kernels.h"

#include <mutex>
#include <string>
#include <unordered_map>

#include "examples/simgpu/driver/libcuda.h"
#include "examples/simgpu/runtime/runtime_call.h"

namespace gpuwhy::simgpu {
namespace {

struct Registered {
  std::string name;
  CUkernel kernel = nullptr;
};

struct Table {
  std::mutex mutex;
  std::unordered_map<const void*, Registered> kernels;
};

Table& GetTable() {
  static Table& table = *new Table();
  return table;
}

cudaError_t Load(Registered& registered) {
  CUlibrary library = nullptr;
  CUresult code = cuLibraryLoadData(&library, registered.name.c_str(), nullptr, nullptr, 0, nullptr,
                                    nullptr, 0);
  if (code == CUDA_SUCCESS)
    code = cuLibraryGetKernel(&registered.kernel, library, registered.name.c_str());
  return AsRuntime(code);
}

}  // namespace

void RegisterKernel(const void* host_function, const char* name) {
  Table& table = GetTable();
  const std::lock_guard lock(table.mutex);
  table.kernels[host_function] = {.name = name};
}

void RegisterLoaded(CUkernel kernel) {
  Table& table = GetTable();
  const std::lock_guard lock(table.mutex);
  table.kernels[kernel] = {.name = {}, .kernel = kernel};
}

cudaError_t FunctionOf(const void* host_function, CUfunction* function) {
  Table& table = GetTable();
  const std::lock_guard lock(table.mutex);
  const auto found = table.kernels.find(host_function);
  if (found == table.kernels.end()) return cudaErrorInvalidDeviceFunction;
  Registered& registered = found->second;
  const cudaError_t error = registered.kernel == nullptr ? Load(registered) : cudaSuccess;
  *function = reinterpret_cast<CUfunction>(registered.kernel);
  return error;
}

}  // namespace gpuwhy::simgpu
