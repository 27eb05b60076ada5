// SPDX-License-Identifier: Apache-2.0
// Splits a line of comma-separated values into its cells: quotes as in RFC 4180 ("a ""b"", c"), and
// where the style says so, lists in brackets without quotes ([0, 1]), as amd-smi writes them. A
// cell with a line break inside is not read: that line ends inside of quotes. The packaged CSV
// libraries want the columns at compile time or know no such lists. One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwhy {

struct CsvStyle {
  char separator = ',';
  bool has_bracket_lists = false;
};

class CsvLine {
 public:
  static constexpr size_t kMaxCells = 4096;

  // False when the line ends inside of quotes or has too many cells. Blanks around cells do not
  // belong to them.
  bool Split(std::string_view line, const CsvStyle& style = {});
  // They point into the line or into this object: good until either ends or the next Split.
  const std::vector<std::string_view>& cells() const { return cells_; }

 private:
  bool TakeQuoted(std::string_view line, size_t& at, char separator);
  void TakePlain(std::string_view line, size_t& at, const CsvStyle& style);

  std::vector<std::string_view> cells_;
  std::string unquoted_;  // keeps its capacity, so that cells can point into it
};

}  // namespace gpuwhy
