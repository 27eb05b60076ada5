// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/sample_class.h"

#include <algorithm>
#include <array>

namespace gpuwhy {
namespace {

enum class Place { kThreadName, kInnermost, kAnywhere };

// Lists hold names apart by blanks; '*' at an end of a name stands for any text. An empty list
// allows everything.
struct SampleRule {
  SampleClass verdict;
  Place place;
  std::string_view functions;
  std::string_view modules = {};          // of the same frame, without their folder
  std::string_view below_functions = {};  // some frame further out
  std::string_view below_modules = {};    // of that frame
};

constexpr std::string_view kCudaSync =
    "cudaStreamSynchronize* cuStreamSynchronize* cudaEventSynchronize* cuEventSynchronize* "
    "cudaDeviceSynchronize* cuCtxSynchronize*";

constexpr std::array kSampleRules = {
    SampleRule{SampleClass::kIdle, Place::kThreadName, "swapper swapper/*"},
    SampleRule{SampleClass::kIdle, Place::kAnywhere,
               "cpuidle_enter* intel_idle* default_idle* native_safe_halt"},
    SampleRule{SampleClass::kCudaWait,
               Place::kInnermost,
               {},
               "[nvidia* nvidia.ko* nvidia-uvm.ko* nvidia-modeset.ko* nvidia-drm.ko*"},
    SampleRule{SampleClass::kCudaWait,
               Place::kAnywhere,
               "ioctl __ioctl *_sys_ioctl",
               {},
               {},
               "libcuda.so*"},
    SampleRule{SampleClass::kCudaSpin, Place::kInnermost, {}, "libcuda.so*", kCudaSync},
    SampleRule{SampleClass::kGilWait, Place::kAnywhere, "take_gil"},
    SampleRule{SampleClass::kGilWait,
               Place::kAnywhere,
               "PyThread_acquire_lock_timed *pthread_cond_timedwait* __futex_abstimed_wait*",
               {},
               "PyEval_RestoreThread PyEval_AcquireThread"},
    SampleRule{SampleClass::kSmaps, Place::kAnywhere,
               "smaps_pte_range smap_gather_stats show_smap show_smaps_rollup smaps_account"},
    SampleRule{SampleClass::kMemoryLock, Place::kAnywhere,
               "rwsem_down_read_slowpath rwsem_down_write_slowpath *mmap_lock* vma_start_write* "
               "lock_mm_and_find_vma"},
    SampleRule{SampleClass::kMemoryCgroup, Place::kAnywhere,
               "mem_cgroup_* __mem_cgroup_* try_charge* charge_memcg css_rstat_flush* "
               "cgroup_rstat_flush*"},
    SampleRule{SampleClass::kReclaim, Place::kAnywhere,
               "shrink_node* shrink_lruvec try_to_free_pages kswapd"},
    SampleRule{SampleClass::kPageFault, Place::kAnywhere,
               "asm_exc_page_fault exc_page_fault handle_mm_fault do_anonymous_page clear_page* "
               "do_huge_pmd_*"},
    SampleRule{SampleClass::kRemoteFiles, Place::kAnywhere,
               "nfs_* nfs4_* nfsd_* rpc_* ll_file_* ll_read* fuse_*"},
    SampleRule{SampleClass::kRemoteFiles, Place::kAnywhere, {}, "[lustre] [nfs] [nfsv4] [fuse]"},
    SampleRule{SampleClass::kNetwork, Place::kAnywhere,
               "net_rx_action net_tx_action tcp_* udp_* __napi_poll sock_sendmsg sock_recvmsg"},
    SampleRule{SampleClass::kDiskWait, Place::kAnywhere,
               "io_schedule* blk_mq_* folio_wait_bit_common submit_bio*"},
    SampleRule{SampleClass::kGarbageCollection, Place::kAnywhere,
               "gc_collect_main gc_collect_generations deduce_unreachable collect_generations"},
    SampleRule{SampleClass::kAllocator, Place::kAnywhere,
               "malloc free calloc realloc _int_malloc _int_free* __libc_malloc __libc_free je_* "
               "tc_* *CachingAllocator* cudaMalloc* cudaFree* cudaHostAlloc* cuMemAlloc* "
               "cuMemFree* cuMemHostAlloc*"},
    SampleRule{SampleClass::kDataLoading, Place::kThreadName, "pt_data_worker*"},
    SampleRule{SampleClass::kDataLoading, Place::kAnywhere,
               "decode* *jpeg* *tokenize* _worker_loop read __read pread64 __pread64 "
               "__libc_read __libc_pread64 io_uring* *_sys_read *_sys_pread64"},
    SampleRule{SampleClass::kDataLoading, Place::kAnywhere, {}, "_imaging* libjpeg* libturbojpeg*"},
    SampleRule{SampleClass::kLockWait, Place::kAnywhere,
               "futex_wait* do_futex *_sys_futex __lll_lock_wait* *pthread_cond_wait* "
               "*pthread_cond_timedwait* __futex_abstimed_wait*"},
    SampleRule{SampleClass::kPython, Place::kAnywhere, "_PyEval_EvalFrameDefault _PyEval_Vector"},
    SampleRule{SampleClass::kPython, Place::kAnywhere, {}, "python python3*"},
};

bool MatchesName(std::string_view pattern, std::string_view text) {
  const bool is_open_end = pattern.ends_with('*');
  if (is_open_end) pattern.remove_suffix(1);
  const bool is_open_start = pattern.starts_with('*');
  if (is_open_start) pattern.remove_prefix(1);
  if (is_open_start && is_open_end) return text.find(pattern) != std::string_view::npos;
  if (is_open_start) return text.ends_with(pattern);
  return is_open_end ? text.starts_with(pattern) : text == pattern;
}

bool MatchesList(std::string_view list, std::string_view text) {
  if (list.empty()) return true;
  while (!list.empty()) {
    const size_t end = std::min(list.find(' '), list.size());
    if (MatchesName(list.substr(0, end), text)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::string_view WithoutFolder(std::string_view module) {
  return module.substr(module.rfind('/') + 1);
}

bool MatchesFrame(const StackFrame& frame, std::string_view functions, std::string_view modules) {
  return MatchesList(functions, frame.function) &&
         MatchesList(modules, WithoutFolder(frame.module));
}

bool MatchesAt(const SampleRule& rule, std::span<const StackFrame> stack, size_t at) {
  if (!MatchesFrame(stack[at], rule.functions, rule.modules)) return false;
  if (rule.below_functions.empty() && rule.below_modules.empty()) return true;
  return std::ranges::any_of(stack.subspan(at + 1), [&](const StackFrame& caller) {
    return MatchesFrame(caller, rule.below_functions, rule.below_modules);
  });
}

bool MatchesSample(const SampleRule& rule, std::string_view comm,
                   std::span<const StackFrame> stack) {
  if (rule.place == Place::kThreadName) return MatchesList(rule.functions, comm);
  const size_t last = rule.place == Place::kInnermost ? 1 : stack.size();
  for (size_t at = 0; at < std::min(last, stack.size()); ++at) {
    if (MatchesAt(rule, stack, at)) return true;
  }
  return false;
}

}  // namespace

SampleClass ClassifySample(std::string_view comm, std::span<const StackFrame> stack) {
  for (const SampleRule& rule : kSampleRules) {
    if (MatchesSample(rule, comm, stack)) return rule.verdict;
  }
  return SampleClass::kOther;
}

std::string_view NameOfSampleClass(SampleClass sample_class) {
  constexpr std::array<std::string_view, 18> kNames = {"idle",
                                                       "cuda_wait",
                                                       "cuda_spin",
                                                       "gil_wait",
                                                       "smaps",
                                                       "memory_lock",
                                                       "memory_cgroup",
                                                       "reclaim",
                                                       "page_fault",
                                                       "network",
                                                       "remote_files",
                                                       "disk_wait",
                                                       "garbage_collection",
                                                       "allocator",
                                                       "data_loading",
                                                       "lock_wait",
                                                       "python",
                                                       "other"};
  return kNames[static_cast<size_t>(sample_class)];
}

}  // namespace gpuwhy
