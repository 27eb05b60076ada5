// SPDX-License-Identifier: Apache-2.0
// Which libraries of NVIDIA a file is or holds. One thread at a time for one descriptor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/base/result.h"

namespace gpuwhy {

enum class GpuLibraryKind { kCudaRuntime, kCudaDriver, kNccl };

enum class RecognisedBy {
  kFileName,        // libcudart.so.12, libcudart-9335f6a2.so.12, libcuda.so.550.54.14, libnccl.so.2
  kExportedSymbol,  // cudaLaunchKernel, cuLaunchKernel or ncclAllReduce in .dynsym
  kLocalSymbol,     // the same in .symtab only: linked into a program that is not stripped
};

struct GpuContent {
  GpuLibraryKind kind = GpuLibraryKind::kCudaRuntime;
  RecognisedBy recognised_by = RecognisedBy::kFileName;

  bool operator==(const GpuContent&) const = default;
};

// "cudaLaunchKernel" and so on: the function that tells the kind.
std::string_view TellingFunction(GpuLibraryKind kind);

// `base_name` without a folder. Plugins such as libnccl-net.so are none.
std::optional<GpuLibraryKind> KindOfName(std::string_view base_name);

// Each kind once. Also libraries that pass the calls on (LD_PRELOAD) export these functions.
Result<std::vector<GpuContent>> ContentOfFile(int fd, const std::string& name);

}  // namespace gpuwhy
