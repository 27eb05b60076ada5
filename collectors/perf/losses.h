// SPDX-License-Identifier: Apache-2.0
// Every way in which an imported `perf script` text or a folded text can differ from its file.
#pragma once

#include "schema/rows.h"

namespace gpuwhy::perf {

inline constexpr LossKind kOwnClock = {
    "perf_own_clock", LossSeverity::kInfo,
    "times are of the recorded machine's own clock (since its boot), not of the calendar: they "
    "cannot be laid beside other captures",
    "record with perf record -k CLOCK_MONOTONIC, the clock of other tools of the same machine"};
inline constexpr LossKind kNoTime = {"perf_sample_without_time", LossSeverity::kInfo,
                                     "samples have no time and were kept at time 0",
                                     "let perf script print times: -F +time"};
inline constexpr LossKind kSeveralEvents = {
    "perf_several_events", LossSeverity::kInfo,
    "samples of several events are in one file; all were kept, and counts of different events "
    "must not be added (the fact sample_event_counts has each)",
    "record one event, or import one file an event: perf script lists them with -F event"};
inline constexpr LossKind kPeriodNotStored = {
    "perf_period_not_stored", LossSeverity::kInfo,
    "samples say how many events (period) they stand for, which is not stored: each counts as one",
    "nothing needs doing when perf sampled at a fixed frequency or period"};
inline constexpr LossKind kSourceLineNotStored = {
    "perf_source_line_not_stored", LossSeverity::kInfo, "source lines of frames are not stored",
    "nothing needs doing"};
inline constexpr LossKind kLastSampleOpen = {
    "perf_last_sample_open", LossSeverity::kInfo,
    "the file ends without the blank line after its last sample, which was kept and may lack its "
    "outermost callers",
    "copy the file again, or let perf script finish"};
inline constexpr LossKind kTracepointWithoutStack = {
    "perf_tracepoint_without_stack", LossSeverity::kDataLoss,
    "tracepoint events have no stack and were skipped: there is no table for their text",
    "record stacks with perf record -g"};
inline constexpr LossKind kSampleWithoutStack = {
    "perf_sample_without_stack", LossSeverity::kDataLoss, "samples have no stack and were skipped",
    "record stacks with perf record -g"};
inline constexpr LossKind kBranchNotStored = {
    "perf_branch_not_stored", LossSeverity::kDataLoss,
    "lines are single branches of a hardware trace (Intel PT) and no samples; they were skipped",
    "turn the trace into samples: perf script --itrace=i100usg"};
inline constexpr LossKind kTraceError = {
    "perf_trace_error", LossSeverity::kDataLoss,
    "perf reports that it could not decode parts of its hardware trace",
    "record with a larger buffer: perf record -m,64M"};
inline constexpr LossKind kFrameWithoutSample = {
    "perf_frame_without_sample", LossSeverity::kDataLoss,
    "frames have no sample above them (the file begins inside a sample, or the line above was not "
    "understood) and were skipped",
    "convert again with perf script and import the whole file"};
inline constexpr LossKind kLineNotUnderstood = {
    "perf_line_not_understood", LossSeverity::kDataLoss,
    "lines are neither a sample nor a frame and were skipped",
    "convert with the default fields: perf script -i perf.data"};
inline constexpr LossKind kStackCut = {
    "perf_stack_cut", LossSeverity::kDataLoss,
    "stacks are deeper than 4,096 frames; what is beyond was skipped", "nothing needs doing"};

inline constexpr LossKind kFoldedNoTimes = {
    "folded_without_times", LossSeverity::kInfo,
    "folded stacks say neither when a sample was taken nor of which process and thread: all are at "
    "time 0, in one process, with one thread for each outermost frame",
    "import the text of perf script, from which they were folded, to have both"};
inline constexpr LossKind kFoldedLineWithoutCount = {
    "folded_line_not_understood", LossSeverity::kDataLoss,
    "lines do not end in a count of samples and were skipped",
    "each line must be frame;frame;frame and a number"};
inline constexpr LossKind kFoldedCountRounded = {
    "folded_count_rounded", LossSeverity::kRepaired,
    "counts have decimals and were rounded to whole samples", "fold samples, not seconds"};
inline constexpr LossKind kFoldedTwoCounts = {
    "folded_two_counts", LossSeverity::kDataLoss,
    "lines have two counts (a difference of two profiles); the first was skipped",
    "import the two profiles apart"};
inline constexpr LossKind kFoldedCountTooLarge = {
    "folded_count_too_large", LossSeverity::kDataLoss,
    "counts are larger than can be added up and were skipped",
    "report it as a bug of the program that folded the stacks"};

inline constexpr LossKind kLineTooLong = {"perf_line_too_long", LossSeverity::kDataLoss,
                                          "lines are longer than 1 MiB and were skipped",
                                          "nothing needs doing"};
inline constexpr LossKind kFileDamaged = {
    "perf_file_damaged", LossSeverity::kDataLoss,
    "the file could be read (or decompressed) only up to a point; the rest is missing",
    "copy the file again; gzip -t tells whether a compressed file is whole"};

}  // namespace gpuwhy::perf
