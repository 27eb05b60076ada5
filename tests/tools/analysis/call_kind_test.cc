// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/call_kind.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

TEST_CASE("call kind: by what the call does to its thread", "[analysis]") {
  struct Case {
    std::string_view name;
    CallKind expected;
  };
  const Case given = GENERATE(values<Case>({
      {"cudaLaunchKernel", CallKind::kLaunch},
      {"cudaLaunchKernelExC_v11060", CallKind::kLaunch},
      {"cuLaunchKernel_ptsz", CallKind::kLaunch},
      {"hipExtModuleLaunchKernel", CallKind::kLaunch},
      {"cudaGraphLaunch_v10000", CallKind::kLaunch},
      {"cudaMemcpyAsync", CallKind::kLaunch},
      {"cuMemcpyHtoDAsync_v2", CallKind::kLaunch},
      {"cudaMemcpy", CallKind::kCopy},
      {"hipMemset", CallKind::kCopy},
      {"cudaStreamSynchronize", CallKind::kSync},
      {"cudaStreamSync", CallKind::kSync},
      {"cuCtxSynchronize", CallKind::kSync},
      {"cudaEventSynchronize", CallKind::kSync},
      {"cudaMalloc", CallKind::kAllocation},
      {"cuMemAlloc_v2", CallKind::kAllocation},
      {"cudaFree", CallKind::kAllocation},
      {"cudaHostAlloc", CallKind::kAllocation},
      {"cuModuleLoadData", CallKind::kModuleLoad},
      {"cuLibraryLoadData", CallKind::kModuleLoad},
      {"cuCtxGetCurrent", CallKind::kOther},
      {"cudaGetDevice", CallKind::kOther},
      {"cudaEventRecord", CallKind::kOther},
      {"cudaStreamWaitEvent", CallKind::kOther},
      {"customFunction", CallKind::kOther},
      {"", CallKind::kOther},
  }));

  INFO(given.name);
  CHECK(KindOfCall(given.name) == given.expected);
}

TEST_CASE("call kind: suffixes of versions and streams are no part of the name", "[analysis]") {
  CHECK(WithoutApiSuffix("cuMemcpyHtoDAsync_v2_ptsz") == "cuMemcpyHtoDAsync");
  CHECK(WithoutApiSuffix("cudaMemcpyAsync_v3020") == "cudaMemcpyAsync");
  CHECK(WithoutApiSuffix("my_function") == "my_function");
  CHECK(WithoutApiSuffix("_v2") == "_v2");
}

}  // namespace
}  // namespace gpuwhy
