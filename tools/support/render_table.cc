// SPDX-License-Identifier: Apache-2.0
#include "tools/support/render_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "schema/base/text.h"
#include "tools/support/text_layout.h"

namespace gpuwhy {
namespace {

constexpr size_t kMinTextColumn = 16;
constexpr std::string_view kGap = "  ";

using Line = std::vector<std::string>;

bool IsLeftAligned(Unit unit) {
  return unit == Unit::kText;
}

double PctOf(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

// A cell in which the separator of compact tables cannot be forged.
std::string EscapeSeparator(const std::string& cell) {
  std::string out;
  for (const char c : cell)
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

class Layout {
 public:
  Layout(const Table& table, int64_t origin_ns, const TextStyle& style)
      : table_(table), style_(style) {
    for (const Column& column : table.columns)
      labels_.push_back(CleanText(column.label));
    for (const auto& row : table.rows) {
      Line line;
      for (size_t i = 0; i < table.columns.size(); ++i)
        line.push_back(i < row.size() ? Cell(row[i], table.columns[i].unit, origin_ns) : "");
      lines_.push_back(std::move(line));
    }
  }

  std::string Compact() const {
    std::string out = Join(labels_);
    for (const Line& line : lines_)
      out += Join(line);
    return out;
  }

  std::string Aligned() {
    Fit();
    std::string out = Paint(style_, kDim, Align(labels_)) + "\n";
    for (const Line& line : lines_)
      out += Align(line) + "\n";
    return out;
  }

 private:
  std::string Cell(const Value& value, Unit unit, int64_t origin_ns) const {
    std::string text = FormatValue(value, unit, origin_ns);
    const bool has_bar =
        style_.has_bars && unit == Unit::kPct && !std::holds_alternative<std::monostate>(value);
    return has_bar ? fmt::format("{} {}", text, ShareBar(PctOf(value))) : text;
  }

  static std::string Join(const Line& line) {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i)
      out += (i == 0 ? "" : " | ") + EscapeSeparator(line[i]);
    return out + "\n";
  }

  // Widths of the columns. On a terminal the widest text column shrinks until a line fits.
  void Fit() {
    for (size_t i = 0; i < labels_.size(); ++i) {
      size_t width = DisplayWidth(labels_[i]);
      for (const Line& line : lines_)
        width = std::max(width, DisplayWidth(line[i]));
      widths_.push_back(width);
    }
    while (style_.width != 0 && TotalWidth() > style_.width && ShrinkWidest()) {
    }
  }

  size_t TotalWidth() const {
    size_t total = 0;
    for (const size_t width : widths_)
      total += width + kGap.size();
    return total - (widths_.empty() ? 0 : kGap.size());
  }

  bool ShrinkWidest() {
    size_t widest = widths_.size();
    for (size_t i = 0; i < widths_.size(); ++i) {
      if (!IsLeftAligned(table_.columns[i].unit) || widths_[i] <= kMinTextColumn) continue;
      if (widest == widths_.size() || widths_[i] > widths_[widest]) widest = i;
    }
    if (widest == widths_.size()) return false;
    --widths_[widest];
    return true;
  }

  std::string Align(const Line& line) const {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string cell = CutToWidth(line[i], widths_[i]);
      const std::string pad(widths_[i] - std::min(widths_[i], DisplayWidth(cell)), ' ');
      if (i > 0) out += kGap;
      const bool is_left = IsLeftAligned(table_.columns[i].unit);
      const bool is_last = i + 1 == line.size();
      out += is_left ? cell + (is_last ? "" : pad) : pad + cell;
    }
    return out;
  }

  const Table& table_;
  const TextStyle& style_;
  Line labels_;
  std::vector<Line> lines_;
  std::vector<size_t> widths_;
};

}  // namespace

std::string Paint(const TextStyle& style, std::string_view code, std::string_view text) {
  if (!style.has_color || code.empty() || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string RenderTable(const Table& table, int64_t origin_ns, const TextStyle& style) {
  if (table.rows.empty()) return "(none)\n";
  Layout layout(table, origin_ns, style);
  return style.is_compact ? layout.Compact() : layout.Aligned();
}

}  // namespace gpuwhy
