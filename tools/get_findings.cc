// SPDX-License-Identifier: Apache-2.0
// Runs the detectors and shows what they found, what they looked for in vain, what they could not
// look for, and what other tools had concluded about the same trace, with our verdict.
#include <fmt/format.h>

#include <algorithm>

#include "schema/base/text.h"
#include "tools/analysis/findings.h"
#include "tools/analysis/foreign_verdicts.h"
#include "tools/analysis/load_facts.h"
#include "tools/support/foreign_table.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_findings {
namespace {

constexpr int64_t kDefaultLimit = 5;
constexpr int64_t kMaxLimit = 50;
constexpr size_t kListedForeign = 8;
constexpr size_t kReasonLimit = 160;

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts)
    joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

// One detector asked for: everything, the evidence query included.
Item ItemOf(const NamedFinding& named, bool has_details) {
  const Finding& finding = named.finding;
  Item item{
      .severity = std::string(NameOf(finding.severity)), .id = named.id, .title = finding.title};
  // Numbers fit on one line; text needs room.
  for (const Fact& fact : finding.evidence) {
    if (const auto* text = std::get_if<std::string>(&fact.value)) {
      item.lines.emplace_back(fact.label, *text);
    } else {
      item.facts.push_back(fact);
    }
  }
  item.lines.emplace_back("basis", finding.basis);
  item.lines.emplace_back("test", finding.counter_test);
  if (!finding.missing.empty()) item.lines.emplace_back("not observed", Join(finding.missing));
  item.lines.emplace_back("fix", finding.fix);
  if (has_details) {
    item.lines.emplace_back("rows", Join(finding.row_ids));
    item.lines.emplace_back("sql", finding.evidence_sql);
  }
  return item;
}

Items ItemsOf(const Findings& findings, const ToolContext& context) {
  const auto limit = static_cast<size_t>(context.params.Int("limit"));
  const std::string least = context.params.Text("min_severity");
  Items items{.key = "findings", .title = "Findings", .total_items = 0};
  for (const NamedFinding& named : findings.found) {
    const Severity severity = named.finding.severity;
    if (least == "HIGH" && severity != Severity::kHigh) continue;
    if (least == "MEDIUM" && severity == Severity::kInfo) continue;
    ++items.total_items;
    if (items.items.size() >= limit) continue;
    items.items.push_back(ItemOf(named, context.params.Has("detector")));
  }
  items.more = "call again with limit=50";
  return items;
}

// Detectors that are silent for one reason share a line.
std::string ListSilences(const std::vector<Silence>& silences) {
  std::vector<std::pair<std::string, std::string>> groups;  // reason, detectors
  for (const Silence& silence : silences) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.first == silence.reason;
    });
    if (same == groups.end()) {
      groups.emplace_back(silence.reason, silence.detector);
    } else {
      same->second += ", " + silence.detector;
    }
  }
  std::string text;
  for (const auto& [reason, detectors] : groups) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", detectors,
                        CleanText(reason, kReasonLimit));
  }
  return text;
}

std::string Headline(const Findings& findings) {
  if (!findings.found.empty() && findings.found.front().finding.severity != Severity::kInfo) {
    const NamedFinding& first = findings.found.front();
    return fmt::format("{} {}: {}", NameOf(first.finding.severity), first.id, first.finding.title);
  }
  const std::string checked =
      fmt::format("{} detectors looked and found nothing, {} could not look",
                  findings.not_found.size(), findings.abstentions.size());
  if (findings.found.empty()) return fmt::format("No finding: {}", checked);
  return fmt::format("Nothing above INFO: {}", checked);
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const auto facts, LoadFacts(context));
  GPUWHY_ASSIGN_OR_RETURN(const Findings findings,
                          FindAll(*facts, context.params.Text("detector"), context.progress));
  Answer answer{.headline = Headline(findings),
                .notes = StandardNotes(*facts),
                .origin_ns = facts->window().trace_start_ns};
  answer.sections.emplace_back(ItemsOf(findings, context));
  if (!findings.not_found.empty()) {
    answer.sections.emplace_back(Paragraph{
        .key = "not_found", .text = "Checked and not found: " + ListSilences(findings.not_found)});
  }
  if (!findings.abstentions.empty()) {
    answer.sections.emplace_back(Paragraph{
        .key = "not_checked", .text = "Could not check: " + ListSilences(findings.abstentions)});
  }
  if (!context.params.Has("detector")) {
    GPUWHY_ASSIGN_OR_RETURN(const auto verdicts, JudgeForeign(*facts, findings));
    if (!verdicts.empty()) answer.sections.emplace_back(ForeignTable(verdicts, kListedForeign));
    if (!findings.found.empty()) {
      answer.next.push_back(fmt::format("get_findings detector={} for rows and the evidence query",
                                        findings.found.front().finding.detector));
    }
    answer.next.emplace_back("get_causal_chains for who waited for whom");
  }
  return answer;
}

Param DetectorParam() {
  Param param{.name = "detector",
              .description = "Only this detector, with rows and evidence query."};
  for (const Detector& detector : detectors::AllDetectors())
    param.choices.push_back(detector.name);
  return param;
}

}  // namespace

Tool Define() {
  return {
      .name = "get_findings",
      .title = "Findings",
      .description =
          "Tells what slowed the GPU down, worst first, with evidence, a counter-test and a fix; "
          "what was looked for in vain; what could not be checked; and a verdict on what other "
          "tools concluded. Start here.",
      .params = {SinceParam(),
                 UntilParam(),
                 ProcessParam(),
                 DetectorParam(),
                 {.name = "min_severity",
                  .description = "Leave out less severe findings.",
                  .choices = {"INFO", "MEDIUM", "HIGH"}},
                 LimitParam(kDefaultLimit, kMaxLimit)},
      .run = &Run};
}

}  // namespace gpuwhy::tools::get_findings
