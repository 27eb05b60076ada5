// SPDX-License-Identifier: Apache-2.0
// Every way in which an imported telemetry table can differ from its file.
#pragma once

#include "schema/rows.h"

namespace gpuwhy::telemetry {

inline constexpr LossKind kValueMissing = {
    "telemetry_value_missing", LossSeverity::kInfo,
    "cells say that there is no value (N/A, [Not Supported], -, ...)",
    "nothing needs doing: the device does not measure this"};
inline constexpr LossKind kValueUnreadable = {
    "telemetry_value_unreadable", LossSeverity::kDataLoss,
    "cells of a measured column hold no number, or one in another unit, and were skipped",
    "look at the first one in the file: two programs may have written into it"};
inline constexpr LossKind kTextNotStored = {
    "telemetry_text_not_stored", LossSeverity::kInfo,
    "cells hold words (modes, versions, serial numbers): only numbers become series",
    "nothing needs doing"};
inline constexpr LossKind kColumnWithoutUnit = {
    "telemetry_column_unknown", LossSeverity::kInfo,
    "columns are not known and do not say their unit; they are kept under their own names with "
    "unit count",
    "write the unit behind the name, as in memory_used_mib or temperature_c"};
inline constexpr LossKind kRowLength = {
    "telemetry_row_of_other_length", LossSeverity::kDataLoss,
    "rows have more or fewer cells than the header and were skipped",
    "the last row of a file that is still being written is cut; else check the writer's quotes"};
inline constexpr LossKind kRowWithoutTime = {"telemetry_row_without_time", LossSeverity::kDataLoss,
                                             "rows have no readable time stamp and were skipped",
                                             "record with ISO 8601 time stamps in UTC"};
inline constexpr LossKind kRowOfOtherHost = {
    "telemetry_row_of_other_host", LossSeverity::kDataLoss,
    "rows come from another host than the first one and were skipped", "import one file per host"};
inline constexpr LossKind kRowOfOtherEntity = {
    "telemetry_row_of_other_entity", LossSeverity::kDataLoss,
    "rows are not of a whole GPU (MIG instances, links, CPUs) and were skipped",
    "monitor the GPUs themselves as well: dcgmi dmon -i 0,1,..."};
inline constexpr LossKind kRowOfProcess = {
    "telemetry_row_of_process", LossSeverity::kInfo,
    "rows are of processes and not of devices; they are not stored",
    "record with nvidia-smi --query-gpu for series of devices"};
inline constexpr LossKind kLineNotRead = {
    "telemetry_line_not_read", LossSeverity::kDataLoss, "lines belong to no table and were skipped",
    "look at the first one: another program may have written into the file"};
inline constexpr LossKind kLineTooLong = {
    "telemetry_line_too_long", LossSeverity::kDataLoss,
    "lines are longer than 1 MiB, which no telemetry row is, and were skipped",
    "look at the file: it may be damaged or of another kind"};
inline constexpr LossKind kCommentNotStored = {"telemetry_comment_not_stored", LossSeverity::kInfo,
                                               "lines that start with # are comments",
                                               "nothing needs doing"};
inline constexpr LossKind kSectionNotStored = {
    "telemetry_section_not_stored", LossSeverity::kInfo,
    "lines are the output of other commands than nvidia-smi --query-gpu --format=csv",
    "record other tables with times into files of their own, as with nvidia-smi dmon -o DT"};
inline constexpr LossKind kTableDamaged = {
    "telemetry_file_damaged", LossSeverity::kDataLoss,
    "the file could be read (or decompressed) only up to a point; the rest is missing",
    "copy the file again; gzip -t tells whether a compressed file is whole"};
inline constexpr LossKind kSameTime = {
    "telemetry_same_time", LossSeverity::kDataLoss,
    "values have the same time as another one of their series, which they replaced",
    "record times with milliseconds, and the device's index or uuid in each row"};
inline constexpr LossKind kTimeWithoutZone = {
    "telemetry_time_without_zone", LossSeverity::kInfo,
    "times have no zone and were taken as UTC; if the recorder's clock showed local time, all are "
    "off by its distance from UTC",
    "record with UTC: TZ=UTC nvidia-smi ..."};
inline constexpr LossKind kTimeMadeUp = {
    "telemetry_time_made_up", LossSeverity::kInfo,
    "the table has no times: its points are placed one second apart from 1970-01-01 on; only their "
    "order is real",
    "record with times: nvidia-smi --query-gpu=timestamp,... or nvidia-smi dmon -o DT"};
inline constexpr LossKind kTimeWithoutDate = {
    "telemetry_time_without_date", LossSeverity::kInfo,
    "times have no date: the first day was taken as 1970-01-01",
    "record with the date: nvidia-smi dmon -o DT"};
inline constexpr LossKind kTimeRelative = {
    "telemetry_time_relative", LossSeverity::kInfo,
    "times are small numbers, so they count from some start and not from 1970",
    "record with Unix time or ISO 8601 time stamps"};
inline constexpr LossKind kHeaderMissing = {
    "telemetry_header_missing", LossSeverity::kInfo,
    "the table has no header: its columns are named by their position",
    "record without noheader, or put the header line in front of the file"};
inline constexpr LossKind kDeviceNotNamed = {
    "telemetry_device_not_named", LossSeverity::kInfo,
    "rows do not say of which device they are and were taken as those of device 0",
    "record the index: nvidia-smi --query-gpu=timestamp,index,..."};
inline constexpr LossKind kTooManySeries = {
    "telemetry_too_many_series", LossSeverity::kDataLoss,
    "values belong to more devices (256) or columns (2048) than are kept, and were skipped",
    "split the file by devices or columns"};

}  // namespace gpuwhy::telemetry
