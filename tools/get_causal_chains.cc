// SPDX-License-Identifier: Apache-2.0
// From idle time or slow calls back to their roots, link by link, each with the rows it rests on;
// then the chains that other tools recorded, with our verdict.
#include <fmt/format.h>

#include "schema/base/text.h"
#include "tools/analysis/chains.h"
#include "tools/analysis/findings.h"
#include "tools/analysis/foreign_verdicts.h"
#include "tools/analysis/load_facts.h"
#include "tools/support/foreign_table.h"
#include "tools/tool.h"

namespace gpuwhy::tools::get_causal_chains {
namespace {

constexpr int64_t kDefaultLimit = 3;
constexpr int64_t kMaxLimit = 20;
constexpr int64_t kMaxGap = 1'000'000;
constexpr size_t kListedForeign = 20;

std::string Rows(const std::vector<std::string>& row_ids) {
  std::string text;
  for (const std::string& id : row_ids)
    text += (text.empty() ? "; rows " : ", ") + id;
  return text;
}

std::string Range(const TraceFacts& facts, Interval interval) {
  return fmt::format("{}..{}", Instant(facts, interval.start_ns), Instant(facts, interval.end_ns));
}

std::string Describe(const TraceFacts& facts, const Chain& chain, size_t index) {
  const ChainLink& link = chain.links[index];
  const bool is_last = index + 1 == chain.links.size();
  return fmt::format("{} {} at {}: {} ({} of it) -> {}{}", link.actor, link.state,
                     Range(facts, link.interval), FormatDuration(link.time_ns),
                     Percent(RatioOf(link.time_ns, chain.lost_ns)),
                     is_last ? "symptom, same thread" : NameOf(link.relation), Rows(link.row_ids));
}

Item ItemOf(const TraceFacts& facts, const Chain& chain, size_t number) {
  Item item{.severity = std::string(NameOf(chain.severity)),
            .id = fmt::format("chain-{}", number),
            .title = fmt::format("{}: {} at {}", chain.symptom, FormatDuration(chain.lost_ns),
                                 Range(facts, chain.interval))};
  for (size_t i = 0; i < chain.links.size(); ++i) {
    item.lines.emplace_back(i == 0 ? "root" : fmt::format("link {}", i + 1),
                            Describe(facts, chain, i));
  }
  item.lines.emplace_back("end", chain.ending);
  return item;
}

Items ItemsOf(const TraceFacts& facts, const std::vector<Chain>& chains, int64_t limit) {
  Items items{.key = "chains",
              .title = "Chains, root first",
              .total_items = static_cast<int64_t>(chains.size()),
              .more = "call again with a higher limit"};
  for (const Chain& chain : chains) {
    if (static_cast<int64_t>(items.items.size()) >= limit) break;
    items.items.push_back(ItemOf(facts, chain, items.items.size() + 1));
  }
  return items;
}

std::string Headline(const TraceFacts& facts, const IdlePicture& picture,
                     const std::vector<Chain>& chains) {
  if (chains.empty()) return "No idle time and no slow call to explain";
  const Chain& first = chains.front();
  std::string text = fmt::format("{} for {}", first.symptom, FormatDuration(first.lost_ns));
  if (!first.links.empty()) {
    text += fmt::format(": {} {}", first.links.back().actor, first.links.back().state);
  }
  if (!picture.IsUsable() && facts.view() != View::kNone) {
    text += "; idle time cannot be told, so these are the slowest calls";
  }
  return text;
}

Result<Answer> Run(const ToolContext& context) {
  GPUWHY_ASSIGN_OR_RETURN(const auto facts, LoadFacts(context));
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(*facts));
  const IdlePicture& picture = *idle;
  const int64_t limit = context.params.Int("limit");
  GPUWHY_ASSIGN_OR_RETURN(
      const std::vector<Chain> chains,
      BuildChains(*facts, picture, {.limit = limit, .gap = context.params.Int("gap")}));
  Answer answer{.headline = Headline(*facts, picture, chains),
                .notes = StandardNotes(*facts),
                .origin_ns = facts->window().trace_start_ns};
  if (!picture.IsUsable()) answer.notes.push_back("idle time: " + picture.refusal);
  answer.sections.emplace_back(ItemsOf(*facts, chains, limit));
  if (facts->Has(Collector::kForeignFinding)) {
    GPUWHY_ASSIGN_OR_RETURN(const Findings ours, FindAll(*facts));
    GPUWHY_ASSIGN_OR_RETURN(const auto verdicts, JudgeForeign(*facts, ours));
    answer.sections.emplace_back(ForeignTable(verdicts, kListedForeign));
  }
  if (picture.IsUsable() && !picture.gaps.empty()) {
    answer.next.push_back(fmt::format("get_causal_chains gap=N (1 to {}) for one gap",
                                      FormatCount(static_cast<int64_t>(picture.gaps.size()))));
  }
  return answer;
}

}  // namespace

Tool Define() {
  return {
      .name = "get_causal_chains",
      .title = "Causal chains",
      .description =
          "Follows idle GPU time or slow calls back to their root, link by link: which thread, in "
          "which state, for how long, tied to the next by what; then the chains other tools "
          "recorded, with a verdict.",
      .params = {SinceParam(),
                 UntilParam(),
                 ProcessParam(),
                 {.name = "gap",
                  .type = ParamType::kInteger,
                  .description = "Only this idle gap, numbered from 1 in time order.",
                  .min = 1,
                  .max = kMaxGap},
                 LimitParam(kDefaultLimit, kMaxLimit)},
      .run = &Run};
}

}  // namespace gpuwhy::tools::get_causal_chains
