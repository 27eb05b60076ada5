// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/kernel_class.h"

#include "tests/catch.h"

namespace gpuwhy {
namespace {

TEST_CASE("kernel class: by name, the rules of the field in their order", "[analysis]") {
  struct Case {
    std::string_view name;
    KernelClass expected;
  };
  const Case given = GENERATE(values<Case>({
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", KernelClass::kComm},
      {"ncclDevKernel_AllGather_RING_LL(ncclDevComm*, unsigned long)", KernelClass::kComm},
      {"void ncclSymDevKernel_AllReduce<float>()", KernelClass::kComm},
      {"NCCL AllReduce", KernelClass::kComm},
      {"rcclGenericKernel", KernelClass::kComm},
      {"mscclKernel_Sum_half", KernelClass::kComm},
      {"nvshmemi_transfer_rma", KernelClass::kComm},
      {"void deep_ep::intranode::dispatch<8, 768>(int4*)", KernelClass::kComm},
      {"hccl_all_reduce", KernelClass::kComm},
      {"Memcpy HtoD (Pageable -> Device)", KernelClass::kMemory},
      {"Memset (Device)", KernelClass::kMemory},
      {"hipMemcpyAsync", KernelClass::kMemory},
      {"dma_copy", KernelClass::kMemory},
      {"Stream Wait Event", KernelClass::kOther},
      {"Context Sync", KernelClass::kOther},
      {"runFunction - job", KernelClass::kOther},
      {"ampere_sgemm_128x64_tn", KernelClass::kCompute},
      {"", KernelClass::kCompute},
  }));

  INFO(given.name);
  CHECK(ClassOfKernel(given.name) == given.expected);
}

TEST_CASE(
    "kernel class: short names drop return type, templates, parameters and namespaces without "
    "name",
    "[analysis]") {
  CHECK(
      ShortKernelName("void at::native::(anonymous namespace)::foo<float, bar<int>>(int, float)") ==
      "at::native::foo");
  CHECK(ShortKernelName("ampere_sgemm_128x64_tn") == "ampere_sgemm_128x64_tn");
  CHECK(ShortKernelName("Memcpy HtoD (Pageable -> Device)") == "Memcpy HtoD (Pageable -> Device)");
  CHECK(ShortKernelName("void broken<unclosed").find("broken") == 0);
  CHECK(ShortKernelName("<") == "<");
}

}  // namespace
}  // namespace gpuwhy
