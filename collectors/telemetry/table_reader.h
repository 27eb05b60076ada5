// SPDX-License-Identifier: Apache-2.0
// Takes the lines of a telemetry file one by one: finds headers, repeated or changed ones too, and
// hands rows to the RowWriter. In a capture (outputs of several commands, each below its
// "# $ command") only nvidia-smi --query-gpu --format=csv is read. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/recorder.h"
#include "collectors/telemetry/layout.h"
#include "collectors/telemetry/row_writer.h"
#include "collectors/text/csv_line.h"

namespace gpuwhy::telemetry {

class TableReader {
 public:
  TableReader(Recorder& recorder, bool is_capture)
      : recorder_(recorder), writer_(recorder), is_capture_(is_capture) {}

  void Read(std::string_view line);

  const RowWriter& writer() const { return writer_; }
  // Of the last table.
  Tool tool() const { return tool_; }
  // There was a table of devices; of processes.
  bool HasTable() const { return has_table_; }
  bool HasProcessTable() const { return has_process_table_; }

 private:
  bool IsOutsideOfSection(std::string_view line);
  void StartSection(std::string_view command);
  void ReadHashLine(std::string_view line);
  void ReadFirstRow(std::string_view line);
  void ReadRow(std::string_view line);
  bool TakeHeader(std::string_view line);
  void Use(Layout layout, std::string_view header);
  bool Split(std::string_view line, bool has_separators);

  Recorder& recorder_;
  RowWriter writer_;
  bool is_capture_;
  bool is_section_read_ = false;
  bool has_table_ = false;
  bool has_process_table_ = false;
  Tool tool_ = Tool::kUnknown;
  std::optional<Layout> layout_;
  std::string header_;  // the line that gave the layout
  CsvLine csv_;
  std::vector<std::string_view> cells_;  // of the line being read
};

// "a  b c" -> a, b, c.
void SplitWords(std::string_view line, std::vector<std::string_view>& words);

}  // namespace gpuwhy::telemetry
