// SPDX-License-Identifier: Apache-2.0
// Every way in which a record of an Ingero database is lost, repaired or biased.
#pragma once

#include "schema/rows.h"

namespace gpuwhy::ingero {

inline constexpr std::string_view kUpgrade = "record with gpuwhy, which stores or counts each";

inline constexpr LossKind kSelectiveStorage{
    "ingero_selective_storage", LossSeverity::kInfo,
    "Ingero kept only some events as rows (the slow, the first and the rare), so statistics of "
    "rows "
    "are biased upward; its per-minute aggregates are not",
    "use the aggregates, or record with ingero trace --record-all"};
inline constexpr LossKind kAggregatesMissing{
    "ingero_aggregates_missing", LossSeverity::kInfo,
    "the file has no per-minute aggregates, so events that were not stored as rows are unknown",
    "do not trim the file; ingero merge drops the aggregates"};
inline constexpr LossKind kAggregatesInconsistent{
    "ingero_aggregates_inconsistent", LossSeverity::kRepaired,
    "per-minute aggregates of an operation that hold fewer events than are stored as rows: Ingero "
    "overwrites a minute when a late event arrives. Replaced by counted minus stored plus rows, "
    "which is a lower bound",
    kUpgrade};
inline constexpr LossKind kRowsMissing{
    "ingero_rows_missing", LossSeverity::kDataLoss,
    "events that Ingero counted as stored but whose rows are not in the file: its insert queue was "
    "full or the file was trimmed",
    kUpgrade};
inline constexpr LossKind kTrimmed{
    "ingero_trimmed", LossSeverity::kDataLoss,
    "rows were deleted from the file: the sequence numbers of the rest are higher than their count",
    "use the original file, or raise ingero trace --max-db"};
inline constexpr LossKind kUnknownOp{
    "ingero_unknown_op", LossSeverity::kRepaired,
    "events of an operation that gpuwhy does not know; kept under the name the file gives it",
    "upgrade gpuwhy"};
inline constexpr LossKind kDamagedEvent{
    "ingero_damaged_event", LossSeverity::kDataLoss,
    "events whose columns are not numbers or whose time is out of range; skipped",
    "copy or record the file again"};
inline constexpr LossKind kNegativeDuration{
    "ingero_negative_duration", LossSeverity::kRepaired,
    "events that end before they start; their duration was set to 0", kUpgrade};
inline constexpr LossKind kStackMissing{
    "ingero_stack_missing", LossSeverity::kDataLoss,
    "events that refer to a call stack that is not in the file; kept without a stack",
    "use the original file"};
inline constexpr LossKind kStackDamaged{
    "ingero_stack_damaged", LossSeverity::kDataLoss,
    "call stacks that are not valid JSON; their events were kept without a stack",
    "copy or record the file again"};
inline constexpr LossKind kThreadAssumed{
    "ingero_thread_assumed", LossSeverity::kInfo,
    "Ingero records forks and new threads alike; fork targets that never acted as a process of "
    "their own were taken for threads of the process that made them",
    kUpgrade};
inline constexpr LossKind kCopySizeUnknown{
    "ingero_copy_size_unknown", LossSeverity::kInfo,
    "2D copies, of which Ingero records the width of a row and not the size; kept without bytes",
    kUpgrade};
inline constexpr LossKind kSummaryWithoutExtremes{
    "ingero_summary_without_extremes", LossSeverity::kInfo,
    "in-kernel summaries, which carry a count and a total; shortest and longest are their mean",
    kUpgrade};
inline constexpr LossKind kSummaryMissing{
    "ingero_summary_missing", LossSeverity::kDataLoss,
    "in-kernel summaries that Ingero counted but did not store; their events are unknown",
    kUpgrade};
inline constexpr LossKind kNamesAmbiguous{
    "ingero_names_ambiguous", LossSeverity::kInfo,
    "process names of a merged file, which do not say of which node; used where only one node has "
    "the pid",
    "import the file of each node"};
inline constexpr LossKind kNodeUnknown{
    "ingero_node_unknown", LossSeverity::kInfo,
    "snapshots and aggregates of a merged file, which do not say of which node; given to the first",
    "import the file of each node"};
inline constexpr LossKind kSchedstatNotConverted{
    "ingero_schedstat_not_converted", LossSeverity::kInfo,
    "off-CPU percentiles per control group, which have no table here", "read them with sqlite3"};
inline constexpr LossKind kFirstCpuSample{"ingero_first_cpu_sample", LossSeverity::kInfo,
                                          "the first CPU sample, which Ingero stores as 0 because "
                                          "it has nothing to compare with; skipped",
                                          kUpgrade};
inline constexpr LossKind kTableDamaged{"ingero_table_damaged", LossSeverity::kDataLoss,
                                        "side tables that could not be read; skipped",
                                        "copy or record the file again"};

}  // namespace gpuwhy::ingero
