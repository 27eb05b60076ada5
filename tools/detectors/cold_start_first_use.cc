// SPDX-License-Identifier: Apache-2.0
// Start-up effects: contexts, lazy module loads, first use of a kernel. Exists to be subtracted, so
// it never says more than INFO.
#include <fmt/format.h>

#include "schema/base/text.h"
#include "tools/analysis/cold_start.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::cold_start_first_use {
namespace {

constexpr double kWorthTelling = 0.001;
constexpr size_t kListedNames = 4;

std::string Sql(const ColdCalls& cold) {
  return fmt::format(
      "SELECT count(*) AS calls, sum(duration_ns) AS total_ns, max(duration_ns) AS slowest_ns FROM "
      "api_calls WHERE process_id = {} AND name = (SELECT text FROM name WHERE id = {}) AND "
      "parent_id IS NULL AND duration_ns >= {} AND start_ns < {}",
      cold.process_id, cold.name_id, cold.threshold_ns, cold.until_ns);
}

Result<Finding> MakeFinding(const TraceFacts& facts, const std::vector<ColdCalls>& all) {
  const ColdCalls& main = all.front();
  Finding finding{.detector = "cold-start-first-use",
                  .severity = Severity::kInfo,
                  .start_ns = main.first_ns,
                  .end_ns = main.last_ns + main.slowest_ns};
  GPUWHY_ASSIGN_OR_RETURN(const std::string name, facts.NameText(main.name_id));
  finding.evidence = {CountFact("call_count", "slow first calls", main.count),
                      NsFact("total_ns", "in all", main.total_ns),
                      NsFact("slowest_ns", "slowest", main.slowest_ns),
                      NsFact("median_ns", "median of the name", main.median_ns)};
  for (const ColdCalls& cold : all) {
    finding.lost_ns += cold.total_ns;
    if (&cold == &main || finding.evidence.size() >= kListedNames + 3) continue;
    GPUWHY_ASSIGN_OR_RETURN(const std::string other, facts.NameText(cold.name_id));
    finding.evidence.push_back(
        TextFact("also", "also",
                 fmt::format("{} x {} ({})", FormatCount(cold.count), CleanText(other, 60),
                             FormatDuration(cold.total_ns))));
  }
  finding.title = fmt::format("Start-up: {} of {} took {} or more, at {}..{}, {} in all",
                              FormatCount(main.count), CleanText(name, 60),
                              FormatDuration(main.threshold_ns), Instant(facts, main.first_ns),
                              Instant(facts, main.last_ns), FormatDuration(main.total_ns));
  finding.evidence_sql = Sql(main);
  finding.row_ids = {RowId("api_call", main.slowest_id)};
  finding.counter_test =
      rules::TextOf({.expectation = "if it were no start-up effect, calls as slow would come later",
                     .observation = fmt::format("{} later", FormatCount(main.later_count)),
                     .outcome = rules::CounterTest::Outcome::kHeld});
  finding.basis = "measured: calls of 20 times the median of their name, soon after the first call";
  finding.fix =
      "none for long runs; for services warm up before serving, or load modules eagerly "
      "(CUDA_MODULE_LOADING=EAGER)";
  return finding;
}

Result<Detection> Find(const TraceFacts& facts) {
  if (!facts.Has(Collector::kApiCall)) return Abstain(fmt::format("needs {}", kNeedsCalls));
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<ColdCalls>* found, FindColdCalls(facts));
  const std::vector<ColdCalls>& all = *found;
  int64_t total_ns = 0;
  for (const ColdCalls& cold : all)
    total_ns += cold.total_ns;
  if (RatioOf(total_ns, facts.window().duration_ns()) < kWorthTelling) {
    return NothingFound(
        all.empty() ? "no slow first call"
                    : fmt::format("slow first calls took {} in all", FormatDuration(total_ns)));
  }
  GPUWHY_ASSIGN_OR_RETURN(Finding finding, MakeFinding(facts, all));
  return Detection(std::vector<Finding>{std::move(finding)});
}

}  // namespace

Detector Define() {
  return {.name = "cold-start-first-use",
          .question = "Which slow calls were only start-up?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::cold_start_first_use
