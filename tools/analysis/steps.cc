// SPDX-License-Identifier: Apache-2.0
#include "tools/analysis/steps.h"

#include <fmt/format.h>

#include "tools/analysis/median.h"
#include "tools/analysis/rows.h"
#include "tools/analysis/scan.h"

namespace gpuwhy {
namespace {

Result<std::vector<int64_t>> StepNameIds(const TraceDb& db) {
  std::vector<int64_t> ids;
  GPUWHY_RETURN_IF_ERROR(
      db.Query("SELECT id FROM name WHERE text >= 'ProfilerStep' AND text < 'ProfilerSteq'", {},
               [&](const Row& row) { ids.push_back(row.Int(0)); }));
  return ids;
}

}  // namespace

Result<std::vector<Step>> LoadSteps(const TraceDb& db) {
  GPUWHY_ASSIGN_OR_RETURN(const std::vector<int64_t> name_ids, StepNameIds(db));
  std::vector<Step> steps;
  if (name_ids.empty()) return steps;
  GPUWHY_ASSIGN_OR_RETURN(
      Statement statement,
      db.Prepare(
          fmt::format("SELECT n.text, r.start_ns, r.duration_ns, r.thread_id FROM range r "
                      "NOT INDEXED JOIN name n ON n.id = r.name_id WHERE r.name_id IN ({}) AND "
                      "r.category NOT LIKE '%gpu%' ORDER BY r.start_ns",
                      IdList(name_ids))));
  while (true) {
    GPUWHY_ASSIGN_OR_RETURN(const bool has_row, statement.Step());
    if (!has_row) return steps;
    const Row row = statement.row();
    steps.push_back(
        {std::string(row.Text(0)), row.Int(1), EndOf(row.Int(1), row.Int(2)), row.Int(3)});
  }
}

int64_t MedianStepNs(const std::vector<Step>& steps) {
  std::vector<int64_t> durations_ns;
  durations_ns.reserve(steps.size());
  for (const Step& step : steps)
    durations_ns.push_back(step.end_ns - step.start_ns);
  return MedianOf(std::move(durations_ns));
}

}  // namespace gpuwhy
