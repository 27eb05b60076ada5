// SPDX-License-Identifier: Apache-2.0
#include "schema/base/text.h"
#include "tools/answer.h"
#include "tools/support/format_value.h"

namespace gpuwhy {
namespace {

Json FactsJson(const std::vector<Fact>& facts) {
  Json out = Json::object();
  for (const Fact& fact : facts)
    out[fact.key] = JsonValue(fact.value);
  return out;
}

Json RowsJson(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json entry = Json::object();
    for (size_t i = 0; i < table.columns.size() && i < row.size(); ++i) {
      entry[table.columns[i].key] = JsonValue(row[i]);
    }
    rows.push_back(std::move(entry));
  }
  return rows;
}

Json ItemJson(const Item& item) {
  Json entry = Json::object();
  if (!item.id.empty()) entry["id"] = CleanText(item.id);
  if (!item.severity.empty()) entry["severity"] = CleanText(item.severity);
  entry["title"] = CleanText(item.title, kSentenceLimit);
  for (const auto& [label, text] : item.lines)
    entry[CleanText(label)] = CleanText(text, kSentenceLimit);
  if (!item.facts.empty()) entry["evidence"] = FactsJson(item.facts);
  return entry;
}

struct SectionWriter {
  Json& out;

  void operator()(const Facts& facts) const { out[facts.key] = FactsJson(facts.facts); }
  void operator()(const Table& table) const {
    out[table.key] = RowsJson(table);
    if (table.total_rows >= 0) out[table.key + "_total_count"] = table.total_rows;
  }
  void operator()(const Items& items) const {
    Json list = Json::array();
    for (const Item& item : items.items)
      list.push_back(ItemJson(item));
    out[items.key] = std::move(list);
    if (items.total_items >= 0) out[items.key + "_total_count"] = items.total_items;
  }
  void operator()(const Paragraph& paragraph) const {
    out[paragraph.key] = StripControls(paragraph.text);
  }
};

}  // namespace

std::string RenderJson(const Answer& answer) {
  Json out = Json::object();
  out["headline"] = CleanText(answer.headline, kSentenceLimit);
  if (answer.origin_ns != 0) out["origin_ns"] = answer.origin_ns;
  for (const Section& section : answer.sections)
    std::visit(SectionWriter{out}, section);
  const auto put = [&](const char* key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    for (const std::string& text : texts)
      out[key].push_back(CleanText(text, kSentenceLimit));
  };
  put("notes", answer.notes);
  put("next", answer.next);
  return DumpJson(out);
}

}  // namespace gpuwhy
