// SPDX-License-Identifier: Apache-2.0
// What the pollers could not read, and what to do about it.
#pragma once

#include "schema/rows.h"

namespace gpuwhy {

inline constexpr LossKind kSystemFileUnreadable{
    .name = "system_file_unreadable",
    .severity = LossSeverity::kInfo,
    .description = "a file of the system could not be read: its values are not recorded",
    .advice = "the text says which file and why"};
inline constexpr LossKind kPressureAbsent{
    .name = "system_pressure_absent",
    .severity = LossSeverity::kInfo,
    .description =
        "this kernel does not tell how long tasks waited for CPU, memory and disks (PSI)",
    .advice = "boot with the parameter psi=1"};
inline constexpr LossKind kCgroupsSkipped{
    .name = "system_cgroups_skipped",
    .severity = LossSeverity::kDataLoss,
    .description = "the recorded processes are in more than 64 cgroups: the others are not watched",
    .advice = "record fewer processes: --pid or --cgroup"};
inline constexpr LossKind kCoresSummed{
    .name = "system_cores_summed",
    .severity = LossSeverity::kInfo,
    .description = "cores from number 64 on are one series, core[64+], not one each",
    .advice = "nothing to do: the sums are exact"};

}  // namespace gpuwhy
