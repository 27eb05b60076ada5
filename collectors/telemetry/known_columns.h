// SPDX-License-Identifier: Apache-2.0
// What is known about the columns of telemetry tables, as data: which series of table counter a
// column is, in which unit it is written where the file does not say, and which columns say when,
// where and on what was measured. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace gpuwhy::telemetry {

enum class Tool { kUnknown, kNvidiaQuery, kNvidiaDmon, kDcgmiDmon, kAmdSmi, kScript };

// For capture.tool_version; empty when unknown.
std::string_view ToolName(Tool tool);

enum class Role {
  kMeasure,
  kTime,    // date and time, time of day or a number
  kDate,    // the date to a time of day
  kIndex,   // device index
  kEntity,  // dcgmi: "GPU", "CPU", ... before the index
  kUuid,
  kBusId,
  kGpuName,
  kHost,
  kDriver,
  kComputeCapability,
  kText,     // says nothing that is stored
  kProcess,  // process id: rows are of processes, not of devices
};

// How numbers of a column are written.
enum class NumberStyle { kPlain, kPerformanceState /* P0 */, kBits /* 0x0001 */ };

struct KnownColumn {
  std::string_view key;   // header as NormalizeName makes it
  std::string_view stem;  // counter name without prefix and unit
  std::string_view unit;  // word for FindUnit; empty: the first value tells
  Role role = Role::kMeasure;
  NumberStyle style = NumberStyle::kPlain;
};

// Null when the column is not known.
const KnownColumn* FindKnownColumn(Tool tool, std::string_view key);
// The tool whose own words are among these; for telling tools apart.
bool IsWordOf(Tool tool, std::string_view key);

// "utilization.gpu" -> "utilization_gpu": lower case, words joined by '_', cut to a limit.
std::string NormalizeName(std::string_view text);

}  // namespace gpuwhy::telemetry
