// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/csv_line.h"

#include <algorithm>

#include "collectors/text/trim.h"

namespace gpuwhy {
namespace {

size_t SkipCellBlanks(std::string_view line, size_t at) {
  return std::min(line.find_first_not_of(" \t", at), line.size());
}

// The place behind a list in brackets that fills a cell; 0 when there is none at `at`.
size_t EndOfBracketList(std::string_view line, size_t at, char separator) {
  if (at >= line.size() || line[at] != '[') return 0;
  const size_t close = line.find(']', at);
  if (close == std::string_view::npos) return 0;
  const size_t next = SkipCellBlanks(line, close + 1);
  return next == line.size() || line[next] == separator ? next : 0;
}

}  // namespace

bool CsvLine::Split(std::string_view line, const CsvStyle& style) {
  cells_.clear();
  unquoted_.clear();
  unquoted_.reserve(line.size());
  for (size_t at = 0; at <= line.size(); ++at) {
    if (cells_.size() == kMaxCells) return false;
    at = SkipCellBlanks(line, at);
    if (at < line.size() && line[at] == '"') {
      if (!TakeQuoted(line, at, style.separator)) return false;
    } else {
      TakePlain(line, at, style);
    }
  }
  return true;
}

// Leaves `at` at the separator or the end. Text between the closing quote and the separator has no
// place in RFC 4180; it is kept behind the quoted text.
bool CsvLine::TakeQuoted(std::string_view line, size_t& at, char separator) {
  const size_t start = unquoted_.size();
  for (++at; true; ++at) {
    const size_t quote = line.find('"', at);
    if (quote == std::string_view::npos) return false;
    unquoted_ += line.substr(at, quote - at);
    at = quote + 1;
    if (at >= line.size() || line[at] != '"') break;
    unquoted_ += '"';
  }
  const size_t end = std::min(line.find(separator, at), line.size());
  unquoted_ += Trim(line.substr(at, end - at));
  cells_.push_back(std::string_view(unquoted_).substr(start));
  at = end;
  return true;
}

void CsvLine::TakePlain(std::string_view line, size_t& at, const CsvStyle& style) {
  size_t end = style.has_bracket_lists ? EndOfBracketList(line, at, style.separator) : 0;
  if (end == 0) end = std::min(line.find(style.separator, at), line.size());
  cells_.push_back(Trim(line.substr(at, end - at)));
  at = end;
}

}  // namespace gpuwhy
