// SPDX-License-Identifier: Apache-2.0
// What a device operation does, by its name: the split that HTA and TraceLens use, with the newer
// names of communication libraries. The rules are a table; the first that holds wins.
#pragma once

#include <string>
#include <string_view>

namespace gpuwhy {

enum class KernelClass : unsigned char { kCompute, kComm, kMemory, kOther };

inline constexpr int kKernelClassCount = 4;

std::string_view NameOf(KernelClass kernel_class);  // compute, comm, memory, other
KernelClass ClassOfKernel(std::string_view name);

// A kernel name fit for a table: without return type, parameters and template arguments.
std::string ShortKernelName(std::string_view name);

}  // namespace gpuwhy
