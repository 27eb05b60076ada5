// SPDX-License-Identifier: Apache-2.0
// A blocking read or synchronisation that comes again and again drains the queue of the device and
// leaves it idle afterwards. Its cost is that idle time: neither its count nor its own duration.
#include <fmt/format.h>

#include <map>

#include "schema/base/text.h"
#include "tools/analysis/finding_parts.h"
#include "tools/analysis/idle_sql.h"
#include "tools/analysis/phases.h"
#include "tools/analysis/rules.h"
#include "tools/analysis/scan.h"
#include "tools/analysis/sync_costs.h"
#include "tools/detector.h"

namespace gpuwhy::tools::detectors::host_sync_hot_loop {
namespace {

constexpr size_t kFewestDrains = 10;
constexpr double kMinShare = 0.05;
constexpr size_t kQueriedRows = 500;
constexpr size_t kListedRows = 5;

std::string Sql(const IdlePicture& picture, const std::vector<Drain>& drains) {
  std::vector<int64_t> ids;
  ids.reserve(drains.size());
  for (const Drain& drain : drains)
    ids.push_back(drain.call_id);
  return fmt::format(
      "WITH s AS (SELECT start_ns + duration_ns AS e FROM api_call WHERE id IN ({})) SELECT "
      "count(*) "
      "AS drains, sum((SELECT min(start_ns) FROM gpu_op WHERE start_ns >= s.e AND gpu_id = {} AND "
      "kind <> 'sync') - s.e) AS idle_after_ns FROM s",
      IdList(ids), picture.gpu_id);
}

Result<std::string> Sites(const TraceFacts& facts, const std::vector<Drain>& drains) {
  struct Site {
    int64_t count = 0;
    int64_t cost_ns = 0;
  };
  std::map<int64_t, Site> sites;
  for (const Drain& drain : drains) {
    ++sites[drain.name_id].count;
    sites[drain.name_id].cost_ns += drain.idle_after_ns;
  }
  std::string text;
  for (const auto& [name_id, site] : sites) {
    GPUWHY_ASSIGN_OR_RETURN(const std::string name, facts.NameText(name_id));
    text += fmt::format("{}{} x {} ({})", text.empty() ? "" : ", ", FormatCount(site.count),
                        CleanText(name, 60), FormatDuration(site.cost_ns));
  }
  return text;
}

Result<Finding> MakeFinding(const TraceFacts& facts, const IdlePicture& picture,
                            const SyncCosts& costs) {
  const int64_t wall_ns = picture.span.duration_ns();
  Finding finding{.detector = "host-sync-hot-loop",
                  .severity = SeverityOfShare(costs.cost_ns, wall_ns),
                  .start_ns = picture.span.start_ns,
                  .end_ns = picture.span.end_ns,
                  .lost_ns = costs.cost_ns};
  finding.title =
      fmt::format("{} blocking calls drained the GPU and left it idle for {} ({})",
                  FormatCount(static_cast<int64_t>(costs.drains.size())),
                  FormatDuration(costs.cost_ns), Percent(RatioOf(costs.cost_ns, wall_ns)));
  std::vector<Drain> queried(costs.drains.begin(),
                             costs.drains.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                        costs.drains.size(), kQueriedRows)));
  int64_t queried_ns = 0;
  for (const Drain& drain : queried) {
    queried_ns += drain.idle_after_ns;
    if (finding.row_ids.size() < kListedRows) {
      finding.row_ids.push_back(RowId("api_call", drain.call_id));
    }
  }
  GPUWHY_ASSIGN_OR_RETURN(const std::string sites, Sites(facts, costs.drains));
  finding.evidence = {
      NsFact("idle_after_ns",
             queried.size() < costs.drains.size() ? "idle after the worst 500" : "idle after them",
             queried_ns),
      CountFact("drain_count", "calls that drained the GPU",
                static_cast<int64_t>(costs.drains.size())),
      CountFact("sync_count", "of blocking calls", costs.sync_count),
      NsFact("host_ns", "time inside them", costs.host_ns), TextFact("sites", "calls", sites)};
  finding.evidence_sql = Sql(picture, queried);
  finding.counter_test = rules::TextOf(
      {.expectation = "if they were harmless, the device would be busy again within 20 us",
       .observation =
           fmt::format("mean {} until the next operation",
                       FormatDuration(costs.cost_ns / static_cast<int64_t>(costs.drains.size()))),
       .outcome = rules::CounterTest::Outcome::kHeld});
  finding.basis = "measured: end of the call to the next device operation, loader time left out";
  finding.fix =
      "keep values on the device, read them every n steps, copy non_blocking into pinned "
      "memory; get_call_stacks shows where";
  if (!facts.Has(Collector::kSample)) finding.missing.emplace_back(kNeedsStacks);
  return finding;
}

Result<Detection> Find(const TraceFacts& facts) {
  GPUWHY_ASSIGN_OR_RETURN(const IdlePicture* idle, LookAtIdle(facts));
  const IdlePicture& picture = *idle;
  if (picture.view != View::kDevice) return Abstain(fmt::format("needs {}", kNeedsDevice));
  if (!facts.Has(Collector::kApiCall)) return Abstain(fmt::format("needs {}", kNeedsCalls));
  if (!picture.IsUsable()) return Detection(picture.Silence());
  GPUWHY_ASSIGN_OR_RETURN(const SyncCosts costs, SyncCostsOf(facts, picture));
  const double share = RatioOf(costs.cost_ns, picture.span.duration_ns());
  const bool is_busy = rules::IsBusyEnough(picture.busy_ns, picture.span_ns);
  if (is_busy || costs.drains.size() < kFewestDrains || share < kMinShare) {
    return NothingFound(fmt::format(
        "{} blocking calls, {} drained the GPU, {} idle afterwards ({}){}",
        FormatCount(costs.sync_count), FormatCount(static_cast<int64_t>(costs.drains.size())),
        FormatDuration(costs.cost_ns), Percent(share), is_busy ? ": harmless, it was busy" : ""));
  }
  GPUWHY_ASSIGN_OR_RETURN(Finding finding, MakeFinding(facts, picture, costs));
  return Detection(std::vector<Finding>{std::move(finding)});
}

}  // namespace

Detector Define() {
  return {.name = "host-sync-hot-loop",
          .question = "Did synchronisations in a loop leave the GPU idle?",
          .find = &Find};
}

}  // namespace gpuwhy::tools::detectors::host_sync_hot_loop
