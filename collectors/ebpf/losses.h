// SPDX-License-Identifier: Apache-2.0
// What a live recording can lose, and what to do about it.
#pragma once

#include <span>

#include "collectors/ebpf/wire.h"
#include "schema/rows.h"

namespace gpuwhy {

// By KernelLoss.
std::span<const LossKind> KernelLosses();

inline constexpr LossKind kStackGone{
    .name = "ebpf_stack_evicted",
    .severity = LossSeverity::kDataLoss,
    .description = "a stack was pushed out of the kernel's table before it was read",
    .advice = "raise the length from which calls get a stack: --stack-min-us"};
inline constexpr LossKind kStackTruncated{
    .name = "ebpf_stack_truncated",
    .severity = LossSeverity::kInfo,
    .description = "a stack has more frames than are kept (64): its outermost are missing",
    .advice = "nothing to do: the innermost frames are there"};
inline constexpr LossKind kEventUnknown{
    .name = "ebpf_event_unknown",
    .severity = LossSeverity::kDataLoss,
    .description = "an event of unknown kind or size came out of the ring buffer",
    .advice = "this is a mistake of gpuwhy: please report it"};
inline constexpr LossKind kTracepointAbsent{
    .name = "ebpf_tracepoint_absent",
    .severity = LossSeverity::kInfo,
    .description = "this kernel lacks a tracepoint: what it tells is not recorded",
    .advice = "a newer kernel has it; `gpuwhy check` lists what is missing"};
inline constexpr LossKind kLibraryNotProbed{
    .name = "ebpf_library_not_probed",
    .severity = LossSeverity::kDataLoss,
    .description = "a GPU library could not be probed: its calls are not recorded",
    .advice = "the text says why; run as root and on the host for processes in containers"};
inline constexpr LossKind kLibraryProbedLate{
    .name = "ebpf_library_probed_late",
    .severity = LossSeverity::kInfo,
    .description = "a GPU library was loaded while recording: calls until it was probed are unseen",
    .advice = "the text says how long that was; start the program before the recorder to see all"};
inline constexpr LossKind kSymbolsUnreadable{
    .name = "ebpf_symbols_unreadable",
    .severity = LossSeverity::kInfo,
    .description = "symbols could not be read: frames show addresses in place of names",
    .advice = "the text says which file and why"};
inline constexpr LossKind kPythonNotFollowed{
    .name = "ebpf_python_not_followed",
    .severity = LossSeverity::kInfo,
    .description = "a Python interpreter cannot be followed: stacks lack its Python frames",
    .advice = "the text says why; CPython 3.11 to 3.14 with the global lock are known"};
inline constexpr LossKind kPythonCodeGone{
    .name = "ebpf_python_code_evicted",
    .severity = LossSeverity::kDataLoss,
    .description =
        "a Python function's name was pushed out of the kernel's table before it was read",
    .advice = "record fewer processes: --pid or --comm"};
inline constexpr LossKind kPythonLineUnknown{
    .name = "ebpf_python_line_unknown",
    .severity = LossSeverity::kInfo,
    .description = "the line table of a Python function was gone: frames show its first line",
    .advice = "nothing to do: the process ended, or the function was freed, too early"};
inline constexpr LossKind kReaderInTheWay{
    .name = "ebpf_reader_in_the_way",
    .severity = LossSeverity::kDataLoss,
    .description =
        "a program read an old state of the trace for so long that the log of the "
        "database was full: no rows meanwhile, roll-ups are complete",
    .advice = "end queries of a trace that is being recorded; look for a reader that hangs"};
inline constexpr LossKind kProbeCostUnknown{
    .name = "ebpf_probe_cost_unknown",
    .severity = LossSeverity::kInfo,
    .description = "what a probe costs could not be measured: the overhead of recording is unknown",
    .advice = "the text says why"};

}  // namespace gpuwhy
