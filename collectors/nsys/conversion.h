// SPDX-License-Identifier: Apache-2.0
// What the conversion of every table shares: the file, where rows go, who is who, what texts mean,
// clocks and progress. One per import; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/importers/importer.h"
#include "collectors/nsys/actors.h"
#include "collectors/nsys/export_file.h"
#include "collectors/recorder.h"

namespace gpuwhy::nsys {

// Unix time; nothing when the record's times make no sense, which is then counted.
struct Span {
  int64_t start_ns;
  int64_t duration_ns;
};

class Conversion {
 public:
  Conversion(const ImportRequest& request, const ExportFile& file, Recorder& recorder);

  // Calls `on_row` for each row of a table, in the file's order, with these columns: NULL for those
  // that it lacks. Nothing happens when there is no such table.
  Status EachRow(std::string_view table, const std::vector<std::string_view>& columns,
                 const std::function<void(const Row&)>& on_row);

  // From columns `start` and `start` + 1 of a row.
  std::optional<Span> SpanOf(const Row& row, int start_column);
  std::optional<Span> InstantOf(const Row& row, int column);
  std::optional<int64_t> TimeOf(const Row& row, int column);

  // The name row of a text of StringIds.
  int64_t NameOf(std::optional<int64_t> string_id);
  int64_t NameOf(std::string_view text);
  // The text itself, valid UTF-8.
  std::string TextOf(std::optional<int64_t> string_id);

  Recorder& recorder() const { return recorder_; }
  const ExportFile& file() const { return file_; }
  Actors& actors() { return actors_; }
  int64_t clock_offset_ns() const { return clock_offset_ns_; }

 private:
  void ShowProgress();

  const ImportRequest& request_;
  const ExportFile& file_;
  Recorder& recorder_;
  Actors actors_;
  int64_t clock_offset_ns_;
  std::unordered_map<int64_t, int64_t> names_;  // name row by number in StringIds
  int64_t done_count_ = 0;
  int64_t total_count_ = 0;
};

}  // namespace gpuwhy::nsys
