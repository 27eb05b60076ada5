// SPDX-License-Identifier: Apache-2.0
// What a CUDA, HIP or NCCL host call does to the thread that makes it, by its name. One table
// serves runtime and driver calls, and the suffixes _v2, _v3020, _ptsz and _ptds.
#pragma once

#include <string_view>

namespace gpuwhy {

enum class CallKind : unsigned char {
  kLaunch,      // puts work on a stream and returns: kernels, asynchronous copies and sets, graphs
  kSync,        // waits for the device: stream, event, device
  kCopy,        // blocking copy or set
  kAllocation,  // device or pinned host memory, in either direction
  kModuleLoad,  // module, library, context, graph instantiation: start-up work
  kOther,
};

inline constexpr int kCallKindCount = 6;

std::string_view NameOf(CallKind kind);

// "cudaMemcpyAsync_v3020" and "cudaMemcpyAsync_ptsz" are cudaMemcpyAsync.
std::string_view WithoutApiSuffix(std::string_view name);
CallKind KindOfCall(std::string_view name);
bool IsKernelLaunch(std::string_view name);  // *LaunchKernel*: one kernel a call, no graphs

}  // namespace gpuwhy
