// SPDX-License-Identifier: Apache-2.0
// The columns of a telemetry table, as its header line gives them:
//   timestamp, index, utilization.gpu [%], power.draw [W]      (nvidia-smi --query-gpu)
//   # gpu    pwr  gtemp     sm                                 (nvidia-smi dmon, its units below)
//   # Idx      W      C      %
//   #Entity   GRACT        TENSO                               (dcgmi dmon)
//   gpu,gfx_activity,socket_power                              (amd-smi)
//   timestamp,power_w,temperature_c,sm_clock_mhz               (scripts)
// Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/telemetry/known_columns.h"

namespace gpuwhy::telemetry {

struct Column {
  std::string header;  // as in the file, for people
  Role role = Role::kMeasure;
  NumberStyle style = NumberStyle::kPlain;
  std::string stem;       // unique in its table
  std::string_view unit;  // of table counter; empty until the first value tells
  double factor = 1;      // value in `unit` = written value * factor
  bool has_known_unit = true;
  std::string counter_name;                // made with the first value
  std::vector<std::string> element_names;  // the same for lists
  bool is_dropped = false;                 // there are too many series
};

struct Layout {
  Tool tool = Tool::kUnknown;
  bool has_separators = true;  // commas; else words between blanks
  std::vector<Column> columns;

  bool HasRole(Role role) const;
};

// Of a header of comma-separated names; nothing when it is none of a telemetry table.
std::optional<Layout> LayoutOfHeader(std::span<const std::string_view> names);
// Of the fields that a command line names: a header, whatever the names are.
Layout LayoutOfFields(std::span<const std::string_view> names, Tool tool);
// Of a line that starts with '#', split into words; nothing when it is a comment or of units.
std::optional<Layout> LayoutOfHashLine(std::span<const std::string_view> words);
// Of the first row of a table without a header; nothing when it does not look like one.
std::optional<Layout> LayoutOfRow(std::span<const std::string_view> cells);

// Takes the units of the line below a header of nvidia-smi dmon.
void ApplyUnits(std::span<const std::string_view> words, Layout& layout);

// "gpu.sm_clock_mhz"
std::string CounterName(std::string_view stem, std::string_view unit);

}  // namespace gpuwhy::telemetry
