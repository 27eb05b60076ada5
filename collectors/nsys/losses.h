// SPDX-License-Identifier: Apache-2.0
// Every way in which a record of an Nsight Systems export is lost, repaired or left out.
#pragma once

#include "schema/rows.h"

namespace gpuwhy::nsys {

inline constexpr LossKind kTimeUnreadable{
    "nsys_time_unreadable", LossSeverity::kDataLoss,
    "records have no time, end before they begin, or are centuries away, and were skipped",
    "export the report again with a newer nsys"};
inline constexpr LossKind kNameMissing{
    "nsys_name_missing", LossSeverity::kRepaired,
    "records name a text that table StringIds does not have; they are called by its number",
    "export the report again; do not trim StringIds"};
inline constexpr LossKind kTextNotUtf8{
    "nsys_text_not_utf8", LossSeverity::kRepaired,
    "texts hold bytes that are not UTF-8; those bytes were replaced", "nothing needs doing"};
inline constexpr LossKind kThreadMissing{
    "nsys_thread_missing", LossSeverity::kDataLoss,
    "records do not say which thread they are of and were skipped", "export the report again"};
inline constexpr LossKind kRangeOpen{
    "nsys_range_open", LossSeverity::kDataLoss,
    "NVTX ranges begin and do not end in the capture and were skipped",
    "let the capture end after the range, or look at a longer one"};
inline constexpr LossKind kNvtxNotStored{
    "nsys_nvtx_not_stored", LossSeverity::kInfo,
    "NVTX records that only name things (categories, domains, threads, counters) are no rows",
    "nothing needs doing"};
inline constexpr LossKind kTableNotStored{
    "nsys_table_not_stored", LossSeverity::kDataLoss,
    "the export has tables with rows that gpuwhy has no place for",
    "open the report in Nsight Systems for these"};
inline constexpr LossKind kRecorderWarning{
    "nsys_recorder_warning", LossSeverity::kInfo, "Nsight Systems warned while it recorded",
    "the text says what; run nsys with the option that it names"};
inline constexpr LossKind kRecorderError{
    "nsys_recorder_error", LossSeverity::kDataLoss,
    "Nsight Systems reported errors while it recorded: events are missing",
    "the text says what; mend it and record again"};
inline constexpr LossKind kStackMissing{
    "nsys_stack_missing", LossSeverity::kDataLoss,
    "records name a call stack that the export does not have",
    "export the report again; do not trim the *_CALLCHAINS tables"};
inline constexpr LossKind kSampleWithoutStack{
    "nsys_sample_without_stack", LossSeverity::kInfo,
    "samples of threads have no call stack (only every nth gets one) and are no rows",
    "profile with --samples-per-backtrace=1"};
inline constexpr LossKind kAllocationNotStored{
    "nsys_allocation_not_stored", LossSeverity::kInfo,
    "allocations of managed memory and changes of memory pools are in no series",
    "open the report in Nsight Systems for these"};
inline constexpr LossKind kSwitchAlone{
    "nsys_switch_alone", LossSeverity::kInfo,
    "a thread left its core before the capture began or had not come back when it ended",
    "nothing needs doing: that wait is not in the trace"};
inline constexpr LossKind kCallOutOfOrder{
    "nsys_call_out_of_order", LossSeverity::kInfo,
    "calls of one thread are not sorted by time in the export; a driver call ahead of the runtime "
    "call that made it is not joined to it",
    "nothing needs doing"};
inline constexpr LossKind kGraphCovered{
    "nsys_graph_covered", LossSeverity::kInfo,
    "launches of whole graphs whose nodes are rows too were left out, so that nothing counts twice",
    "nothing needs doing"};
inline constexpr LossKind kMetricUnnamed{
    "nsys_metric_unnamed", LossSeverity::kRepaired,
    "values of GPU metrics that the export does not name; they are called by their number",
    "export the report again with a newer nsys"};
inline constexpr LossKind kEpochMissing{
    "nsys_epoch_missing", LossSeverity::kInfo,
    "the export does not say when its session began (TARGET_INFO_SESSION_START_TIME), so times "
    "count from 0",
    "such a trace cannot be laid beside others by time"};

}  // namespace gpuwhy::nsys
