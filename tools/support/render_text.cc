// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/answer.h"

namespace gpuwhy {
namespace {

constexpr size_t kSentenceLimit = 4000;
constexpr size_t kMinTextColumn = 16;

constexpr std::string_view kBold = "1";
constexpr std::string_view kDim = "2";
constexpr std::string_view kRed = "1;31";
constexpr std::string_view kYellow = "1;33";
constexpr std::string_view kCyan = "36";

// Characters of valid UTF-8, near enough to columns for what CleanText lets through.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool IsLeftAligned(Unit unit) {
  return unit == Unit::kText;
}

class Writer {
 public:
  Writer(const Answer& answer, const TextStyle& style) : answer_(answer), style_(style) {}

  std::string Write() {
    out_ = Paint(kBold, CleanText(answer_.headline, kSentenceLimit)) + "\n";
    for (const Section& section : answer_.sections)
      std::visit(*this, section);
    WriteList("note", answer_.notes);
    WriteList("next", answer_.next);
    return std::move(out_);
  }

  void operator()(const Facts& facts) {
    Title(facts.title);
    size_t label_width = 0;
    for (const Fact& fact : facts.facts)
      label_width = std::max(label_width, Width(fact.label));
    for (const Fact& fact : facts.facts) {
      const std::string value = FormatValue(fact.value, fact.unit, answer_.origin_ns);
      const std::string pad(label_width - Width(fact.label), ' ');
      out_ += style_.is_compact ? fmt::format("{}: {}\n", fact.label, value)
                                : fmt::format("  {}{}  {}\n", Paint(kDim, fact.label), pad, value);
    }
  }

  void operator()(const Table& table) {
    Title(table.title);
    std::vector<std::vector<std::string>> cells = Format(table);
    const std::vector<size_t> widths = Fit(table, cells);
    std::vector<std::string> labels;
    for (const Column& column : table.columns)
      labels.push_back(column.label);
    WriteRow(table, labels, widths, true);
    for (const auto& row : cells)
      WriteRow(table, row, widths, false);
    if (table.rows.empty()) out_ += "(none)\n";
    WriteMore(table.total_rows, table.rows.size(), table.more);
  }

  void operator()(const Items& items) {
    Title(items.title);
    int number = 0;
    for (const Item& item : items.items)
      WriteItem(++number, item);
    if (items.items.empty()) out_ += "(none)\n";
    WriteMore(items.total_items, items.items.size(), items.more);
  }

  void operator()(const Paragraph& paragraph) {
    out_ += "\n" + StripControls(paragraph.text) + "\n";
  }

 private:
  std::string Paint(std::string_view code, std::string_view text) const {
    return style_.has_color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  void Title(const std::string& title) {
    out_ += "\n";
    if (!title.empty()) out_ += Paint(kCyan, title) + "\n";
  }

  std::string_view ColorOf(const std::string& severity) const {
    if (severity == "HIGH") return kRed;
    return severity == "MEDIUM" ? kYellow : kDim;
  }

  void WriteItem(int number, const Item& item) {
    std::string head = fmt::format("{}.", number);
    if (!item.severity.empty()) head += " " + Paint(ColorOf(item.severity), item.severity);
    if (!item.id.empty()) head += " " + Paint(kBold, CleanText(item.id));
    out_ += fmt::format("{} {}\n", head, CleanText(item.title, kSentenceLimit));
    if (!item.facts.empty()) {
      std::string line;
      for (const Fact& fact : item.facts) {
        line += fmt::format("{}{} {}", line.empty() ? "" : "; ", fact.label,
                            FormatValue(fact.value, fact.unit, answer_.origin_ns));
      }
      out_ += fmt::format("   {} {}\n", Paint(kDim, "evidence:"), line);
    }
    for (const auto& [label, text] : item.lines) {
      out_ += fmt::format("   {} {}\n", Paint(kDim, label + ":"), CleanText(text, kSentenceLimit));
    }
  }

  std::vector<std::vector<std::string>> Format(const Table& table) const {
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : table.rows) {
      std::vector<std::string> line;
      for (size_t i = 0; i < table.columns.size(); ++i) {
        line.push_back(
            i < row.size() ? FormatValue(row[i], table.columns[i].unit, answer_.origin_ns) : "");
      }
      cells.push_back(std::move(line));
    }
    return cells;
  }

  // Widths of the columns; on a terminal, text columns shrink until the row fits.
  std::vector<size_t> Fit(const Table& table, std::vector<std::vector<std::string>>& cells) const {
    std::vector<size_t> widths;
    size_t total = 0;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      size_t width = Width(table.columns[i].label);
      for (const auto& row : cells)
        width = std::max(width, Width(row[i]));
      widths.push_back(width);
      total += width + 2;
    }
    for (size_t i = 0; i < widths.size() && style_.width != 0 && total > style_.width; ++i) {
      if (!IsLeftAligned(table.columns[i].unit) || widths[i] <= kMinTextColumn) continue;
      const size_t cut = std::min(widths[i] - kMinTextColumn, total - style_.width);
      widths[i] -= cut;
      total -= cut;
      for (auto& row : cells) {
        if (Width(row[i]) > widths[i]) row[i] = CleanText(row[i], widths[i] - 1);
      }
    }
    return widths;
  }

  void WriteRow(const Table& table, const std::vector<std::string>& cells,
                const std::vector<size_t>& widths, bool is_head) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string pad(widths[i] - std::min(widths[i], Width(cells[i])), ' ');
      const bool is_last = i + 1 == cells.size();
      if (i > 0) line += "  ";
      line +=
          IsLeftAligned(table.columns[i].unit) ? cells[i] + (is_last ? "" : pad) : pad + cells[i];
    }
    out_ += (is_head ? Paint(kDim, line) : line) + "\n";
  }

  void WriteMore(int64_t total, size_t shown, const std::string& more) {
    if (total <= static_cast<int64_t>(shown)) return;
    out_ += fmt::format("{} more{}{}\n", FormatCount(total - static_cast<int64_t>(shown)),
                        more.empty() ? "" : ": ", more);
  }

  void WriteList(std::string_view label, const std::vector<std::string>& texts) {
    if (!texts.empty()) out_ += "\n";
    for (const std::string& text : texts) {
      out_ += fmt::format("{} {}\n", Paint(kDim, fmt::format("{}:", label)),
                          CleanText(text, kSentenceLimit));
    }
  }

  const Answer& answer_;
  TextStyle style_;
  std::string out_;
};

}  // namespace

std::string RenderText(const Answer& answer, const TextStyle& style) {
  return Writer(answer, style).Write();
}

}  // namespace gpuwhy
