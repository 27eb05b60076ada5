// SPDX-License-Identifier: Apache-2.0
// Every way in which an imported Chrome trace can differ from its file.
#pragma once

#include "schema/rows.h"

namespace gpuwhy::kineto {

inline constexpr LossKind kEventRepaired = {
    "kineto_event_repaired", LossSeverity::kRepaired,
    "events were not valid JSON (quotes or control characters in a name, NaN, invalid UTF-8, bare "
    "words) and were read after mending them",
    "newer PyTorch versions escape names; nothing else needs doing"};
inline constexpr LossKind kEventUnreadable = {
    "kineto_event_unreadable", LossSeverity::kDataLoss,
    "pieces of the event list could not be read as events and were skipped",
    "export the trace again, or report the first piece as a bug of its writer"};
inline constexpr LossKind kEventTruncated = {
    "kineto_event_truncated", LossSeverity::kDataLoss,
    "the file ends in the middle of an event, which was skipped",
    "copy the file again, or let the profiler finish writing before it is read"};
inline constexpr LossKind kArrayNotClosed = {
    "kineto_file_truncated", LossSeverity::kDataLoss,
    "the file ends inside its event list; later events and metadata are missing",
    "copy the file again, or let the profiler finish writing before it is read"};
inline constexpr LossKind kFileDamaged = {
    "kineto_file_damaged", LossSeverity::kDataLoss,
    "the file could be read (or decompressed) only up to a point; the rest is missing",
    "copy the file again; gzip -t tells whether a compressed file is whole"};
inline constexpr LossKind kMetadataUnreadable = {
    "kineto_metadata_unreadable", LossSeverity::kDataLoss,
    "the metadata around the event list is not valid JSON or too long: device, rank and base time "
    "may be missing",
    "export the trace again"};
inline constexpr LossKind kNoPhase = {"kineto_event_without_phase", LossSeverity::kDataLoss,
                                      "events have no phase (ph) and were skipped",
                                      "report it as a bug of the trace's writer"};
inline constexpr LossKind kNoTime = {
    "kineto_event_without_time", LossSeverity::kDataLoss,
    "events have no readable time stamp or duration and were skipped",
    "report it as a bug of the trace's writer"};
inline constexpr LossKind kNoDuration = {
    "kineto_event_without_duration", LossSeverity::kRepaired,
    "complete events (X) have no duration; host spans were kept with 0 ns, GPU work was skipped",
    "let the profiler stop after the work has finished"};
inline constexpr LossKind kNegativeDuration = {
    "kineto_negative_duration", LossSeverity::kRepaired,
    "spans end before they begin; they were kept with 0 ns",
    "report it as a bug of the trace's writer"};
inline constexpr LossKind kZeroTime = {
    "kineto_zero_time", LossSeverity::kDataLoss,
    "events have time stamp 0 and duration 0 amid events of a running clock and were skipped: the "
    "profiler lost their times",
    "profile shorter, or with a larger CUPTI buffer"};
inline constexpr LossKind kNumberLost = {
    "kineto_number_out_of_range", LossSeverity::kRepaired,
    "numbers in event arguments do not fit 64 bits and were left out", "nothing needs doing"};
inline constexpr LossKind kEndWithoutBegin = {
    "kineto_end_without_begin", LossSeverity::kDataLoss,
    "spans end without having begun in this file and were skipped",
    "start the profiler before the work"};
inline constexpr LossKind kBeginWithoutEnd = {
    "kineto_begin_without_end", LossSeverity::kDataLoss,
    "spans begin and do not end in this file and were skipped",
    "let the profiler stop after the work has finished"};
inline constexpr LossKind kSpansCross = {
    "kineto_spans_cross", LossSeverity::kRepaired,
    "begin and end events of one thread do not nest; each end was matched by name where possible",
    "nothing needs doing"};
inline constexpr LossKind kCounterUnreadable = {
    "kineto_counter_unreadable", LossSeverity::kDataLoss,
    "counter events hold no number and were skipped", "report it as a bug of the trace's writer"};
inline constexpr LossKind kPhaseNotStored = {
    "kineto_phase_not_stored", LossSeverity::kDataLoss,
    "events of kinds that gpuwhy has no table for (objects, memory dumps, V8 samples, ...) were "
    "skipped",
    "open the file in its own viewer for these"};
inline constexpr LossKind kFlowNotStored = {
    "kineto_flow_not_stored", LossSeverity::kInfo,
    "arrows between events are not stored: correlation ids say the same", "nothing needs doing"};
inline constexpr LossKind kTraceSpanNotStored = {
    "kineto_trace_span_not_stored", LossSeverity::kInfo,
    "rows that only mark the extent of the trace (Spans, Traces, Record Window End) are not stored",
    "nothing needs doing"};

}  // namespace gpuwhy::kineto
