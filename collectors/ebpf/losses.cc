// SPDX-License-Identifier: Apache-2.0
#include "collectors/ebpf/losses.h"

#include <array>

namespace gpuwhy {
namespace {

constexpr LossKind Lost(std::string_view name, std::string_view description,
                        std::string_view advice) {
  return {name, LossSeverity::kDataLoss, description, advice};
}

constexpr std::array<LossKind, kLossCount> kKernelLosses = {
    Lost("ebpf_ring_full", "a row did not fit into the ring buffer; the roll-ups counted it",
         "record with a larger buffer: --buffer-mb"),
    LossKind{"ebpf_row_thinned", LossSeverity::kInfo,
             "above the limit of rows a second only slow events are rows; the roll-ups counted all",
             "raise the limit: --max-rows-per-second"},
    Lost("ebpf_roll_up_full", "the table of roll-ups was full: an event was not counted",
         "record fewer processes: --pid or --comm"),
    Lost("ebpf_call_too_deep", "more than eight probed calls were inside each other",
         "this is unusual: please report the stack"),
    Lost("ebpf_return_missing", "a call ended without returning (thread exit, longjmp)",
         "nothing to do: the call is not in the trace"),
    LossKind{"ebpf_return_without_entry", LossSeverity::kInfo,
             "a call had begun before its library was probed",
             "start the recording before the program: gpuwhy trace -- command"},
    Lost("ebpf_no_thread_state", "the kernel had no memory for a thread's state",
         "free memory; events of that thread are missing"),
    LossKind{"ebpf_stack_not_taken", LossSeverity::kInfo, "a stack could not be taken",
             "nothing to do: the event has no stack"},
    Lost("ebpf_lifecycle_lost", "a fork, exec or exit did not fit into the ring buffer",
         "record with a larger buffer: --buffer-mb"),
    Lost("ebpf_block_requests_full", "too many block requests were in flight to note them all",
         "nothing to do: some disk waits are missing"),
    Lost("ebpf_targets_full", "too many processes are followed", "record fewer: --pid or --comm"),
    Lost("ebpf_sample_lost", "a stack sample did not fit into the ring buffer",
         "record with a larger buffer: --buffer-mb"),
    LossKind{"ebpf_python_memory", LossSeverity::kInfo,
             "a Python frame could not be read: its memory was paged out or just changing",
             "nothing to do: the stack ends there"},
    LossKind{"ebpf_python_threads", LossSeverity::kInfo,
             "a process has more than 256 Python threads: not all were looked through",
             "nothing to do: some stacks lack their Python frames"},
    LossKind{"ebpf_python_code", LossSeverity::kInfo,
             "the name of a Python function could not be kept in the kernel",
             "record fewer processes: --pid or --comm"},
    Lost("ebpf_switch_in_unseen", "a thread was not seen to run again after it had left its core",
         "nothing to do: that many stretches off a core are missing"),
    Lost("ebpf_rename_lost", "a thread's new name did not fit into the ring buffer",
         "rows name the thread by its old name; record with a larger buffer: --buffer-mb"),
};

}  // namespace

std::span<const LossKind> KernelLosses() {
  return kKernelLosses;
}

}  // namespace gpuwhy
