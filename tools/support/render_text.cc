// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/answer.h"
#include "tools/support/render_table.h"
#include "tools/support/text_layout.h"

namespace gpuwhy {
namespace {

constexpr size_t kMinWrapWidth = 40;  // narrower windows are left to the terminal
constexpr std::string_view kIndent = "   ";

std::string_view ColorOf(const std::string& severity) {
  if (severity == "HIGH") return kRed;
  return severity == "MEDIUM" ? kYellow : kDim;
}

// One section after the other; each starts with an empty line and its title.
class Writer {
 public:
  Writer(const Answer& answer, const TextStyle& style) : answer_(answer), style_(style) {}

  std::string Write() {
    WriteWrapped({.code = kBold}, CleanText(answer_.headline, kSentenceLimit));
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
      label_width = std::max(label_width, DisplayWidth(fact.label));
    for (const Fact& fact : facts.facts) {
      const std::string value = FormatValue(fact.value, fact.unit, answer_.origin_ns);
      if (style_.is_compact) {
        out_ += fmt::format("{}: {}\n", fact.label, value);
        continue;
      }
      const std::string pad(label_width - DisplayWidth(fact.label), ' ');
      out_ += fmt::format("  {}{}  {}\n", Paint(style_, kDim, fact.label), pad, value);
    }
  }

  void operator()(const Table& table) {
    Title(table.title);
    out_ += RenderTable(table, answer_.origin_ns, style_);
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
  // What a wrapped text begins with: painted, and already in clean text.
  struct Lead {
    std::string_view code = {};  // of the text
    std::string painted = {};
    size_t width = 0;  // of `painted`
    std::string_view indent = {};
  };

  void WriteWrapped(const Lead& lead, const std::string& text) {
    const bool is_wrapped = style_.width >= kMinWrapWidth;
    // The first line holds the lead, so it is wrapped as if it were text.
    const std::string placeholder(lead.width, 'x');
    const auto lines = WrapWords(placeholder + (lead.width > 0 ? " " : "") + text,
                                 is_wrapped ? style_.width - lead.indent.size() : 0);
    for (size_t i = 0; i < lines.size(); ++i) {
      const size_t skip = i == 0 && lead.width > 0 ? std::min(lines[i].size(), lead.width + 1) : 0;
      if (i == 0 && lead.width > 0) out_ += lead.painted + " ";
      if (i > 0) out_ += lead.indent;
      out_ += Paint(style_, lead.code, lines[i].substr(skip)) + "\n";
    }
  }

  void Title(const std::string& title) {
    out_ += "\n";
    if (!title.empty()) out_ += Paint(style_, kCyan, title) + "\n";
  }

  void WriteItem(int number, const Item& item) {
    std::string plain = fmt::format("{}.", number);
    std::string painted = plain;
    const auto add = [&](std::string_view code, const std::string& raw) {
      if (raw.empty()) return;
      const std::string text = CleanText(raw);
      plain += " " + text;
      painted += " " + Paint(style_, code, text);
    };
    add(ColorOf(item.severity), item.severity);
    add(kBold, item.id);
    WriteWrapped({.painted = painted, .width = DisplayWidth(plain), .indent = kIndent},
                 CleanText(item.title, kSentenceLimit));
    if (!item.facts.empty()) WriteLine("evidence", JoinFacts(item.facts));
    for (const auto& [label, text] : item.lines)
      WriteLine(label, CleanText(text, kSentenceLimit));
  }

  std::string JoinFacts(const std::vector<Fact>& facts) const {
    std::string line;
    for (const Fact& fact : facts) {
      line += fmt::format("{}{} {}", line.empty() ? "" : "; ", fact.label,
                          FormatValue(fact.value, fact.unit, answer_.origin_ns));
    }
    return line;
  }

  void WriteLine(const std::string& label, const std::string& text) {
    const std::string head = CleanText(label) + ":";
    out_ += kIndent;
    WriteWrapped(
        {.painted = Paint(style_, kDim, head), .width = DisplayWidth(head), .indent = kIndent},
        text);
  }

  void WriteMore(int64_t total, size_t shown, const std::string& more) {
    if (total <= static_cast<int64_t>(shown)) return;
    out_ += fmt::format("{} more{}{}\n", FormatCount(total - static_cast<int64_t>(shown)),
                        more.empty() ? "" : ": ", CleanText(more, kSentenceLimit));
  }

  void WriteList(std::string_view label, const std::vector<std::string>& texts) {
    if (!texts.empty()) out_ += "\n";
    const std::string head = fmt::format("{}:", label);
    for (const std::string& text : texts) {
      WriteWrapped({.painted = Paint(style_, kDim, head), .width = head.size(), .indent = kIndent},
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
