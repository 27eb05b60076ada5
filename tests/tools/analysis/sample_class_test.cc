// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/sample_class.h"

#include <vector>

#include "tests/catch.h"

using gpuwhy::ClassifySample;
using gpuwhy::SampleClass;
using gpuwhy::StackFrame;

namespace {

// Innermost first.
std::string_view ClassOf(std::vector<StackFrame> stack, std::string_view comm = "python3") {
  return NameOfSampleClass(ClassifySample(comm, stack));
}

constexpr StackFrame kEval = {"_PyEval_EvalFrameDefault", "/usr/bin/python3.12"};
constexpr StackFrame kKernel = {"do_syscall_64", "[kernel.kallsyms]"};

}  // namespace

TEST_CASE("sample class: idle", "[analysis]") {
  CHECK(ClassOf({kKernel}, "swapper") == "idle");
  CHECK(ClassOf({kKernel}, "swapper/3") == "idle");
  CHECK(ClassOf({{"intel_idle", {}}, {"cpuidle_enter_state", {}}}, "x") == "idle");
}

TEST_CASE("sample class: waits for the device", "[analysis]") {
  CHECK(ClassOf({{"nv_poll", "[nvidia]"}, kKernel}) == "cuda_wait");
  CHECK(ClassOf({{"0x1", "/lib/modules/6.1/nvidia-uvm.ko.xz"}, kKernel}) == "cuda_wait");
  CHECK(ClassOf({kKernel, {"__x64_sys_ioctl", {}}, {"0x2", "/usr/lib/libcuda.so.1"}}) ==
        "cuda_wait");
  CHECK(ClassOf({kKernel, {"__x64_sys_ioctl", {}}, {"tty", "/bin/stty"}}, "stty") == "other");
  const StackFrame spin = {"0x2", "/usr/lib/libcuda.so.560.35"};
  CHECK(ClassOf({spin, {"cudaStreamSynchronize", "/usr/lib/libcudart.so"}, kEval}) == "cuda_spin");
  CHECK(ClassOf({spin, {"cudaLaunchKernel", "/usr/lib/libcudart.so"}}) == "other");
  CHECK(ClassOf({{"0x1", "/usr/lib/libnvidia-ml.so.1"}}, "nvidia-smi") == "other");
}

TEST_CASE("sample class: Python's lock, collector and interpreter", "[analysis]") {
  CHECK(ClassOf({{"take_gil", {}}, {"PyEval_RestoreThread", {}}, kEval}) == "gil_wait");
  CHECK(ClassOf({{"__futex_abstimed_wait_common", {}}, {"PyEval_RestoreThread", {}}, kEval}) ==
        "gil_wait");
  CHECK(ClassOf({{"__futex_abstimed_wait_common", {}}, kEval}) == "lock_wait");
  CHECK(ClassOf({{"deduce_unreachable", {}}, {"gc_collect_main", {}}, kEval}) ==
        "garbage_collection");
  CHECK(ClassOf({{"long_add", "/usr/bin/python3.12"}, kEval}) == "python");
}

TEST_CASE("sample class: a cause in the kernel comes before who called it", "[analysis]") {
  const StackFrame fault = {"asm_exc_page_fault", {}};
  const StackFrame allocator = {"malloc", "/lib/libc.so.6"};
  CHECK(ClassOf({{"clear_page_erms", {}}, fault, allocator, kEval}) == "page_fault");
  CHECK(ClassOf({{"rwsem_down_read_slowpath", {}}, {"lock_mm_and_find_vma", {}}, fault, kEval}) ==
        "memory_lock");
  CHECK(ClassOf({{"try_charge_memcg", {}}, {"handle_mm_fault", {}}, fault}) == "memory_cgroup");
  CHECK(ClassOf({{"shrink_node", {}}, {"handle_mm_fault", {}}, fault}) == "reclaim");
  CHECK(ClassOf({{"smaps_pte_range", {}}, {"show_smap", {}}, {"read", {}}}, "cadvisor") == "smaps");
  CHECK(ClassOf({{"rwsem_down_read_slowpath", {}}, fault}, "pt_data_worker") == "memory_lock");
  CHECK(ClassOf({allocator, kEval}) == "allocator");
  CHECK(ClassOf({{"c10::cuda::CUDACachingAllocator::malloc(unsigned long)", {}}, kEval}) ==
        "allocator");
}

TEST_CASE("sample class: data, files, network", "[analysis]") {
  CHECK(ClassOf({{"work", {}}}, "pt_data_worker") == "data_loading");
  CHECK(ClassOf({{"f", {}}, {"_worker_loop", {}}, kEval}) == "data_loading");
  CHECK(ClassOf({{"jpeg_idct_islow", "/lib/libjpeg.so.62"}}) == "data_loading");
  CHECK(ClassOf({{"f", "/site-packages/PIL/_imaging.cpython-312.so"}}) == "data_loading");
  CHECK(ClassOf({{"fuse_readahead", "[fuse]"}, {"__x64_sys_read", {}}}) == "remote_files");
  CHECK(ClassOf({{"schedule", {}}, {"io_schedule", {}}, {"__x64_sys_read", {}}}) == "disk_wait");
  CHECK(ClassOf({{"tcp_recvmsg", {}}, {"__x64_sys_recvfrom", {}}}) == "network");
}

TEST_CASE("sample class: what no rule knows is other", "[analysis]") {
  CHECK(ClassOf({}) == "other");
  CHECK(ClassOf({{"main", "/srv/app"}}, "app") == "other");
  CHECK(ClassOf({{{}, {}}}, "") == "other");
}
