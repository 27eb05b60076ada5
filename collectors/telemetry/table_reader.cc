// SPDX-License-Identifier: Apache-2.0
#include "collectors/telemetry/table_reader.h"

#include <algorithm>

#include "collectors/telemetry/losses.h"
#include "collectors/text/trim.h"
#include "schema/base/text.h"

namespace gpuwhy::telemetry {
namespace {

constexpr std::string_view kQueryOption = "--query-gpu=";
constexpr CsvStyle kTableStyle{.has_bracket_lists = true};

// First words of the line of units below a header.
bool IsUnitLine(std::string_view first_word) {
  return first_word == "Idx" || first_word == "YYYYMMDD" || first_word == "HH:MM:SS";
}

bool IsSectionRule(std::string_view line) {
  return line.find_first_not_of('#') == std::string_view::npos;
}

}  // namespace

void SplitWords(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  for (line = Trim(line); !line.empty() && words.size() < CsvLine::kMaxCells; line = Trim(line)) {
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

bool TableReader::Split(std::string_view line, bool has_separators) {
  if (!has_separators) {
    SplitWords(line, cells_);
    return true;
  }
  if (!csv_.Split(line, kTableStyle)) return false;
  cells_ = csv_.cells();
  return true;
}

void TableReader::Use(Layout layout, std::string_view header) {
  const bool is_of_processes = layout.HasRole(Role::kProcess);
  has_process_table_ = has_process_table_ || is_of_processes;
  has_table_ = has_table_ || !is_of_processes;
  if (!is_of_processes) tool_ = layout.tool;
  layout_ = std::move(layout);
  header_ = header;
}

void TableReader::Read(std::string_view line) {
  if (is_capture_ && IsOutsideOfSection(line)) return;
  if (Trim(line).empty() || line == header_) return;
  if (line.starts_with('#')) return ReadHashLine(line);
  if (!layout_) return ReadFirstRow(line);
  ReadRow(line);
}

bool TableReader::IsOutsideOfSection(std::string_view line) {
  if (line.starts_with("# $ ")) {
    StartSection(line.substr(4));
    return true;
  }
  if (line.starts_with("# ") && line.find(" :: ") != std::string_view::npos) {
    is_section_read_ = false;
    return true;
  }
  if (IsSectionRule(line)) return true;
  if (is_section_read_) return false;
  recorder_.Count(kSectionNotStored, 1, {}, line);
  return true;
}

void TableReader::StartSection(std::string_view command) {
  layout_.reset();
  header_.clear();
  const size_t query = command.find(kQueryOption);
  is_section_read_ =
      query != std::string_view::npos && command.find("--format=csv") != std::string_view::npos;
  if (!is_section_read_ || command.find("noheader") == std::string_view::npos) return;
  const std::string_view fields = command.substr(query + kQueryOption.size());
  if (!Split(fields.substr(0, fields.find(' ')), true)) return;
  Use(LayoutOfFields(cells_, Tool::kNvidiaQuery), {});
}

void TableReader::ReadHashLine(std::string_view line) {
  const bool has_separators = line.find(',') != std::string_view::npos;
  if (!Split(line.substr(1), has_separators) || cells_.empty()) return;
  if (auto layout = LayoutOfHashLine(cells_)) {
    layout->has_separators = has_separators;
    return Use(*std::move(layout), line);
  }
  if (layout_ && IsUnitLine(cells_[0])) return ApplyUnits(cells_, *layout_);
  recorder_.Count(kCommentNotStored, 1, {}, line);
}

bool TableReader::TakeHeader(std::string_view line) {
  auto layout = LayoutOfHeader(cells_);
  if (!layout) return false;
  Use(*std::move(layout), line);
  return true;
}

// The first line of a table, which may lack its header.
void TableReader::ReadFirstRow(std::string_view line) {
  if (!Split(line, true)) return recorder_.Count(kLineNotRead, 1, {}, line);
  if (TakeHeader(line)) return;
  auto layout = LayoutOfRow(cells_);
  if (!layout) return recorder_.Count(kLineNotRead, 1, {}, line);
  recorder_.SetLoss(kHeaderMissing, 1);
  Use(*std::move(layout), {});
  ReadRow(line);
}

void TableReader::ReadRow(std::string_view line) {
  if (!Split(line, layout_->has_separators)) return recorder_.Count(kRowLength, 1, {}, line);
  const bool is_data = IsDigit(Trim(line).front());
  if (!is_data && layout_->has_separators && TakeHeader(line)) return;
  if (layout_->tool == Tool::kDcgmiDmon && cells_[0] == "ID") return;
  if (layout_->HasRole(Role::kProcess)) return recorder_.Count(kRowOfProcess);
  // A comma at the end of a row is no cell.
  const size_t width = layout_->columns.size();
  if (cells_.size() == width + 1 && cells_.back().empty()) cells_.pop_back();
  if (cells_.size() != width) return recorder_.Count(kRowLength, 1, {}, line);
  writer_.Write(*layout_, cells_);
}

}  // namespace gpuwhy::telemetry
